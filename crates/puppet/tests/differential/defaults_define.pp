define d { file { "/d-${title}": } }
File { group => 'staff' }
D { }
d { 'x': }
