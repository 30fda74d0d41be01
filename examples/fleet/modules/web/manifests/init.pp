# The web server.
class web (Integer $workers) {
  package { 'nginx': ensure => installed }
  file { '/etc/nginx/nginx.conf':
    content => epp('web/nginx.conf.epp', { 'workers' => $workers }),
    require => Package['nginx'],
    notify  => Service['nginx'],
  }
  file { '/etc/nginx/mime.types':
    source  => 'puppet:///modules/web/mime.types',
    require => Package['nginx'],
  }
  service { 'nginx': ensure => running, enable => true }
}
