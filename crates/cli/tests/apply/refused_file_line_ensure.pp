# modules: installed
# setup: printf "x\n" >/w/f
file_line { 'a': path => '/w/f', line => 'x', ensure => latest }
