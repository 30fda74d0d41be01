# differs: resources: a wrong attribute keeps its own resource from being applied, not all of them
# differs: log: a wrong attribute keeps its own resource from being applied, not all of them
file { '/w/a': content => 'x', mode => '0999' }
