# between: echo other >/w/a; chmod 777 /w/a
file { '/w/a': content => "mine\n", mode => '0600' }
