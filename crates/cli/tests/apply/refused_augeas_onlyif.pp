# differs: exit: a wrong condition is refused before anything changes; Puppet fails its resource alone
# differs: resources: the same
# differs: log: the same
# modules: installed
augeas { 'x': changes => 'set /files/x y', onlyif => 'get /files/x = y' }
