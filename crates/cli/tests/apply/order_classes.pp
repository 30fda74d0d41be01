class first { exec { '/bin/echo first >> /w/log': } }
class second { exec { '/bin/echo second >> /w/log': } }
class third { exec { '/bin/echo third >> /w/log': } }
include first, second, third
Class['third'] -> Class['first']
