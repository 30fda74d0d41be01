# modules: installed
ini_setting { 'a': path => 'f', section => 'a', setting => 'b', value => 'c' }
