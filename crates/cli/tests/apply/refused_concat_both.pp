# modules: installed
concat_fragment { 'a': target => '/w/f', content => 'a', source => '/b' }
