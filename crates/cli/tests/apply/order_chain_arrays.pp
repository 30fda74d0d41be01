$list = ['/w/1', '/w/2']
file { $list: content => 'x' }
exec { ['/bin/echo p', '/bin/echo q']: }
File[$list] -> Exec['/bin/echo q', '/bin/echo p']
