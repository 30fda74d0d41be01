file { '/etc/t.ini': content => "top=1\n[one]\na = 1\n; c = 3\n[two]\nlist=-a -b\n", replace => false }
-> ini_setting { 'a': path => '/etc/t.ini', section => 'one', setting => 'a', value => '2' }
-> ini_setting { 'c': path => '/etc/t.ini', section => 'one', setting => 'c', value => 'three' }
-> ini_setting { 'new': path => '/etc/t.ini', section => 'three', setting => 'x', value => 'y', key_val_separator => ': ' }
-> ini_setting { 'top': path => '/etc/t.ini', section => '', setting => 'top', value => '5' }
-> ini_setting { 'gone': ensure => absent, path => '/etc/t.ini', section => 'two', setting => 'nope' }
-> ini_subsetting { 'm': path => '/etc/t.ini', section => 'two', setting => 'list', subsetting => '-Xmx', value => '512m' }
-> ini_subsetting { 'b': ensure => absent, path => '/etc/t.ini', section => 'two', setting => 'list', subsetting => '-b' }
ini_setting { 'created': path => '/etc/new.ini', section => 's', setting => 'k', value => 'v', show_diff => md5 }
