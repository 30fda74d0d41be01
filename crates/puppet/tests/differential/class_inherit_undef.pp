class base { file { '/a': mode => '0644', owner => 'root' } }
class child inherits base { File['/a'] { mode => undef } }
include child
