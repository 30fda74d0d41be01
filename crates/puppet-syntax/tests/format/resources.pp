file{'/etc/motd': ensure=>file,
    content=>'hello',mode   => '0644' }
package { [ 'a','b' ] : ensure => present, }
class {'ntp':
}
service { 'ntp':

  # Comments stay with what follows.
  ensure => running,   # and behind what they are about
  enable=>true
}
file {
  '/a':
    ensure => file;
  '/b': ensure => directory, mode => '0755';
}
app_config {
  'a/short':      value => 1;
  'a/longer/key': value => 2;
  'a/split':
    value => 3, secret => true;
}
@@host{"x":ip=>'10.0.0.1'}
File{ owner=>'root' }
File['/a']{ group+>'adm' }
File<|tag=='web'|>{ mode=>'0600' }
User <<||>>
exec { 'x': * => $options, command =>
  '/bin/true' }
package { ['one',
           'two']:
  ensure => latest
}
