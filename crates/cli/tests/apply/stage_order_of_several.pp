stage { ['pre', 'post']: }
Stage['pre'] -> Stage['main'] -> Stage['post']
class late { exec { '/bin/sh -c "echo late >> /w/log"': } }
class early { exec { '/bin/sh -c "echo early >> /w/log"': } }
class { 'late': stage => post }
class { 'early': stage => pre }
exec { '/bin/sh -c "echo main >> /w/log"': }
