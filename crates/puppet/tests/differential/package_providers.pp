package { 'redis': ensure => installed }
package { 'redis module': name => 'redis', provider => 'dnfmodule' }
package { 'redis gem': name => 'redis', provider => 'gem', require => Package['redis'] }
package { 'nginx': name => 'nginx', provider => 'gem' }
package { 'web': name => 'nginx' }
