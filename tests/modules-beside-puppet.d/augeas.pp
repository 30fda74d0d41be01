augeas { 'hosts':
  context => '/files/etc/hosts',
  changes => ['set 01/ipaddr 10.9.9.9', 'set 01/canonical db.example.org', 'set 01/alias[1] db'],
  onlyif  => "match *[ipaddr = '10.9.9.9'] size == 0",
}
file { '/etc/my.conf': content => "a=1\n", replace => false }
-> augeas { 'shellvars':
  lens    => 'Shellvars.lns',
  incl    => '/etc/my.conf',
  changes => ['set a 2', 'set b 3', 'rm nothing'],
}
