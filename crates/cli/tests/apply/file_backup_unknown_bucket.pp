# differs: resources: a wrong attribute keeps its own resource from being applied, not all of them
# differs: log: a wrong attribute keeps its own resource from being applied, not all of them
# setup: printf 'old\n' >/w/a
file { '/w/a': content => "new\n", backup => 'nowhere' }
