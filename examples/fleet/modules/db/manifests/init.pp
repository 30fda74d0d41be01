# The database server.
class db (Sensitive[String] $password = Sensitive('change me at once')) {
  package { 'postgresql': ensure => installed }
  file { '/etc/postgresql/password':
    content => $password,
    mode    => '0600',
    require => Package['postgresql'],
  }
  service { 'postgresql': ensure => running }
}
