file { '/w/grün': content => "ü\u{20ac}\n" }
