# differs: resources: a wrong command is refused before anything changes; Puppet fails its resource alone
# differs: log: the same
# modules: installed
augeas { 'x': changes => ['set /files/x y', 'write /files/x'] }
