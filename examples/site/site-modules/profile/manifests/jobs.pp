# What runs at fixed times, and the daemon that runs it.
class profile::jobs {
  package { 'cron':
    ensure => installed,
  }

  service { 'cron':
    ensure  => running,
    enable  => true,
    require => Package['cron'],
  }

  cron { 'sweep':
    command => '/usr/bin/find /var/tmp/example -mtime +7 -delete',
    user    => 'ada',
    hour    => 3,
    minute  => [0, 30],
    require => Package['cron'],
  }

  cron { 'report':
    command     => '/usr/local/bin/list-files /opt/tools',
    environment => ['MAILTO=ops@example.org'],
    user        => 'root',
    special     => 'daily',
    require     => Package['cron'],
  }

  file { '/etc/default/cron':
    content => "# Managed\nEXTRA_OPTS=\"-L 4\"\n",
    require => Package['cron'],
    notify  => Service['cron'],
  }
}
