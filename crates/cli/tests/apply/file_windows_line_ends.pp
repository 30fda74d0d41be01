file { "/w/a": content => "a\r\nb\r\n" }
