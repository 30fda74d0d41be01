# modules: installed
# setup: printf "x\n" >/w/f
file_line { 'a': line => 'b' }
