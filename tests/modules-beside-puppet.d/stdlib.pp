file { '/etc/settings': content => "# top\nport = 80\nhost=a\nhost=b\n", replace => false }
file_line { 'port': path => '/etc/settings', line => 'port = 8080', match => '^port' }
-> file_line { 'new': path => '/etc/settings', line => 'name = x', after => '^# top' }
-> file_line { 'hosts': path => '/etc/settings', line => 'host=c', match => '^host=', multiple => true }
-> file_line { 'none': path => '/etc/settings', ensure => absent, match => '^nothing', match_for_absence => true, line => 'x' }
-> file_line { 'end': path => '/etc/settings', line => 'last line' }
anchor { 'begin': } -> File_line['port']
