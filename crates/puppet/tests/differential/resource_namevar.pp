file { 'named': path => '/real/', ensure => directory }
