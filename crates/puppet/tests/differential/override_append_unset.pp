file { '/a': }
notify { 'n': }
File['/a'] { require +> Notify['n'] }
