File { mode => '0600', owner => 'top' }
class c { File { mode => '0644' }  file { '/c': } }
include c
