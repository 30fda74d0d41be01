# differs: log: Puppet does not name what failed in a container
define thing { exec { "/bin/sh -c 'exit ${title}'": } file { "/w/${title}": content => 'x', require => Exec["/bin/sh -c 'exit ${title}'"] } }
thing { ['0', '1']: }
file { '/w/after': content => 'a', require => Thing['1'] }
