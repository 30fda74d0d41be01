class broken { exec { '/bin/false': } exec { '/bin/echo sibling >> /w/log': } }
class after { exec { '/bin/echo after >> /w/log': } }
include broken, after
Class['broken'] -> Class['after']
exec { '/bin/echo free >> /w/log': }
