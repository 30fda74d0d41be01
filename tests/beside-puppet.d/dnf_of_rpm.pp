package { 'peer-alpha': ensure => installed, provider => rpm, source => '/repo/first/noarch/peer-alpha-1.5-1.noarch.rpm' }
