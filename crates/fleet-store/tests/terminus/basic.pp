class base ($password) {
  user { 'deploy':
    ensure   => present,
    password => $password,
    before   => [File['second'], File['/srv/a/']],
  }
  file { '/srv/a/': ensure => directory, mode => '0755' }
  file { 'second':
    path    => '/srv/b',
    content => Sensitive('hidden'),
    alias   => ['b', 'another'],
    require => File['/srv/a'],
    tag     => ['zeta', 'alpha'],
  }
  exec { 'reload':
    command     => '/bin/true',
    refreshonly => true,
    subscribe   => [File['b'], Exec['/bin/first']],
  }
  exec { '/bin/first': }
  package { 'tool': ensure => installed, alias => 'utility', notify => Service['daemon'] }
  service { 'daemon': name => 'daemond', ensure => running }
  notify { 'greeting': message => "a\tb \u00e9 \u{1f600}" }
  tidy { '/srv/old/': age => '1w' }
}
define site($port, $options = {}) {
  file { "/srv/${title}": content => "${port}", noop => false }
}
node 'node.example.com' {
  class { 'base': password => Sensitive('hunter2') }
  site { 'shop': port => 80, options => { 'secret' => Sensitive('x'), 'b' => { 'z' => 1, 'a' => 2 } } }
}
