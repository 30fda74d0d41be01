# What the machine has anyway.
file { '/srv/banner':
  ensure => directory,
  mode   => '0755',
}

exec { 'note':
  command     => '/bin/echo the banner is new',
  logoutput   => true,
  refreshonly => true,
}
