concat { '/etc/motd.d':
  ensure => present,
  path   => '/etc/motd',
  owner  => 'root',
  mode   => '0644',
  order  => 'numeric',
  ensure_newline => true,
}
concat::fragment { 'last': target => '/etc/motd.d', content => 'last', order => '20' }
concat::fragment { 'first': target => '/etc/motd.d', content => "first\n", order => '5' }
file { '/root/middle': content => "middle" }
concat::fragment { 'middle': target => '/etc/motd.d', source => '/root/middle', order => '10' }
concat { '/etc/app.yaml': format => 'yaml', }
concat::fragment { 'a': target => '/etc/app.yaml', content => "---\na: {x: 1}\n" }
concat::fragment { 'b': target => '/etc/app.yaml', content => "---\na: {y: 2}\nb: [1]\n" }
concat { '/etc/app.json': format => 'json-pretty' }
concat::fragment { 'j1': target => '/etc/app.json', content => '{"k": 1}' }
concat::fragment { 'j2': target => '/etc/app.json', content => '{"l": [2]}' }
concat { '/etc/gone': ensure => absent }
