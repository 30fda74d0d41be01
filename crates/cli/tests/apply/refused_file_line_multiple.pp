# modules: installed
# setup: printf "x\n" >/w/f
file_line { 'a': path => '/w/f', line => 'x', match => 'x', multiple => false, replace_all_matches_not_matching_line => true }
