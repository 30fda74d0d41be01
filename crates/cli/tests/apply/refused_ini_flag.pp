# modules: installed
ini_setting { 'a': path => '/w/f', setting => 'b', value => 'c', refreshonly => 'maybe' }
