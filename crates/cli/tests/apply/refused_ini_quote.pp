# modules: installed
ini_subsetting { 'a': path => '/w/f', setting => 'b', subsetting => 'd', value => 'c', quote_char => '|' }
