@exec { '/bin/echo v1 >> /w/log': tag => 'v' }
@exec { '/bin/echo v2 >> /w/log': tag => 'v' }
exec { '/bin/echo last >> /w/log': }
Exec['/bin/echo last >> /w/log'] -> Exec<| tag == 'v' |>
