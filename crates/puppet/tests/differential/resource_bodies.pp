file { default: mode => '0600', owner => 'root'; '/a': ; '/b': mode => '0644'; ['/c', '/d']: owner => 'x' }
