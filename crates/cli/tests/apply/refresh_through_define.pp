define inner() { exec { "/bin/echo ${name} >> /w/log": refreshonly => true } }
define outer() { inner { "${name}-a": } inner { "${name}-b": } }
file { '/w/x': content => "x\n", notify => Outer['o'] }
outer { 'o': }
