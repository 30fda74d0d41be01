# modules: installed
ini_subsetting { 'a': path => '/w/f', setting => 'b', subsetting => 'd', value => 'c', insert_type => 'middle' }
