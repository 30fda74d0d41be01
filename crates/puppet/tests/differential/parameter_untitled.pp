define of($type) { notice("${type}") Resource[$type, 'x'] -> Notify['y'] }
notify { ['x', 'y']: }
of { 'a': type => Notify }
notify { 'z': message => [Notify, Integer] }
