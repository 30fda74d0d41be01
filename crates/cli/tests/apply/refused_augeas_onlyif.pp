# differs: resources: a wrong condition is refused before anything changes; Puppet fails its resource alone
# differs: log: the same
# modules: installed
augeas { 'x': changes => 'set /files/x y', onlyif => 'get /files/x = y' }
