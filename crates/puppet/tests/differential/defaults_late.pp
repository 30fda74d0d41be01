file { '/early': }
File { mode => '0600' }
file { '/late': }
