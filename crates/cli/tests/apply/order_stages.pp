stage { 'early': before => Stage['main'] }
stage { 'late': require => Stage['main'] }
class a { exec { '/bin/echo a >> /w/log': } }
class b { exec { '/bin/echo b >> /w/log': } }
class { 'b': stage => late }
exec { '/bin/echo main >> /w/log': }
class { 'a': stage => early }
