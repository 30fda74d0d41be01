class m($service, $packages) { package { $packages: }  service { $service: ensure => running, require => Package[$packages] } }
