# modules: installed
concat_fragment { 'a': target => '/w/f', content => 'a', order => 1.5 }
