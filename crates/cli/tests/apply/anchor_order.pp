# modules: installed
anchor { 'begin': } -> file { '/w/a': content => 'a' } -> anchor { 'end': }
file { '/w/b': content => 'b', require => Anchor['end'] }
