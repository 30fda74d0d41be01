# modules: installed
# differs: resources: the pattern is read before anything is done
# differs: log: the pattern is read before anything is done
# setup: printf "x\n" >/w/f
file_line { 'a': path => '/w/f', line => 'a', match => '(' }
