define make() { file { "/w/${name}": content => "x\n" } file { "/w/${name}.2": content => "x\n" } }
make { 'm': }
exec { '/bin/echo made >> /w/log': refreshonly => true, subscribe => Make['m'] }
