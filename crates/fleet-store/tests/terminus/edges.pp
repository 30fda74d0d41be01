stage { 'first': before => Stage['main'] }
class a { notify { 'in a': } }
class b { notify { 'in b': } }
class { 'a': stage => 'first' }
include b
Class['a'] -> Class['b'] ~> Notify['end']
notify { 'end': }
notify { 'other': require => [Class['b'], [Notify['end'], Class['a']]] }
file { '/etc/app': ensure => directory }
file { '/etc/app/conf': ensure => file, require => File['/etc/app///'], notify => Notify['other'] }
file { "/etc/multi\nline": before => Notify['end'] }
user { 'root': uid => '0' }
group { 'root': gid => 0, require => User['root'] }
resources { 'user': purge => false }
schedule { 'night': range => '2 - 4' }
filebucket { 'main': path => false }
