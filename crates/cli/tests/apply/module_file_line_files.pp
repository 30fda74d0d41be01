# Files that are missing, no files or not in the encoding; a line in the file of a resource.
# modules: installed
# setup: mkdir /w/dir; printf 'caf\351\nb\n' >/w/latin; cp /w/latin /w/latin2; cp /w/latin /w/latin3
# setup: ln -s /w/none /w/dangling; printf 'l\n' >/w/shown; printf 'l\n' >/w/told; printf 'y\n' >/w/noop
file_line { 'needs the file': path => '/w/new', line => 'b' }
file { '/w/new': content => "a\n", replace => false, mode => '0604' }
file_line { 'missing': path => '/w/missing', line => 'a' }
file_line { 'missing, absent': path => '/w/missing', line => 'a', ensure => absent }
file_line { 'directory': path => '/w/dir', line => 'a' }
file_line { 'dangling': path => '/w/dangling', line => 'a' }
file_line { 'below a file': path => '/w/latin/x', line => 'a' }
file_line { 'latin': path => '/w/latin', line => 'c' }
file_line { 'latin, pattern': path => '/w/latin2', line => 'c', match => 'b' }
file_line { 'latin, known': path => '/w/latin3', line => 'c', match => '^caf.$', encoding => 'ISO-8859-1' }
file_line { 'in noop': path => '/w/noop', line => 'x', noop => true }
file_line { 'secret': path => '/w/shown', line => Sensitive('hidden'), match => '^l' }
file_line { 'told': path => '/w/told', line => 'm', match => '^l' } ~> exec { '/bin/echo told': refreshonly => true }
