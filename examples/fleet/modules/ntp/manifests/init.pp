# The time of all nodes.
class ntp (Array[String] $servers) {
  package { 'chrony': ensure => installed }
  file { '/etc/chrony/chrony.conf':
    content => epp('ntp/chrony.conf.epp', { 'servers' => $servers }),
    require => Package['chrony'],
    notify  => Service['chrony'],
  }
  service { 'chrony': ensure => running, enable => true }
}
