# differs: resources: a wrong attribute keeps its own resource from being applied, not all of them
# differs: log: a wrong attribute keeps its own resource from being applied, not all of them
cron { 'bad': command => '/bin/true', minute => 77 }
