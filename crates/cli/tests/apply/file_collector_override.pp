file { ['/w/a', '/w/b']: content => 'x' }
File<| title == '/w/b' |> { content => 'y', mode => '0700' }
