file { '/x': }
file { 'x': path => '/x' }
