# modules: installed
concat_fragment { 'a': content => 'a' }
