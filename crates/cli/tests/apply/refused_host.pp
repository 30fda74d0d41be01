# modules: installed
file { '/w/a': content => 'a' }
host { 'db': ip => 'no address' }
