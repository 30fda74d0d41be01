# differs: log: the warning of a file that cannot be loaded says why
# modules: installed
# setup: cd /w; printf '10.0.0.1 a\n' >hosts; printf 'bad\n' >bad; cp hosts after
Augeas { lens => 'Hosts.lns' }
augeas { 'no such node': incl => '/w/hosts', changes => 'mv 9 8' }
augeas { 'not the tree of a host': incl => '/w/hosts', changes => 'set 1/what ever' }
augeas { 'a file that the lens cannot read': incl => '/w/bad', changes => ['set 01/ipaddr 1.1.1.1', 'set 01/canonical x'] }
augeas { 'no such directory': incl => '/w/none/hosts', changes => ['set 01/ipaddr 1.1.1.1', 'set 01/canonical x'] }
augeas { 'the first change is not made either': incl => '/w/hosts', changes => ['set 1/canonical b', 'mv 9 8'] }
augeas { 'ins beside nothing': incl => '/w/hosts', changes => 'ins x before 9' }
augeas { 'match of no path': incl => '/w/hosts', changes => 'set 1/canonical b', onlyif => 'match *[. = ] size == 1' }
augeas { 'others go on': incl => '/w/after', changes => 'set 1/canonical b' }
file { '/w/depends': content => 'x', require => Augeas['no such node'] }
