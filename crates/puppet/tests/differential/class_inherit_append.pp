class base { file { '/a': require => Notify['x'] } notify { ['x', 'y']: } }
class child inherits base { File['/a'] { require +> Notify['y'] } }
include child
