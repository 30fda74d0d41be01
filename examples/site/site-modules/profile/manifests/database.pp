# The database's settings and its nightly copy.
class profile::database (
  Struct[{ listen => Limits::Address, cache => Integer[16] }] $settings,
) {
  file {
    default:
      ensure => file,
      owner  => 'root',
      mode   => '0644',
      ;
    '/etc/database.conf':
      content => epp('profile/database.epp', $settings),
      ;
    '/etc/database.d':
      ensure => directory,
      mode   => '0755',
  }

  $size = $settings['cache'] ? {
    Integer[1024] => 'large',
    default       => 'small',
  }
  file { "/etc/database.d/${size}":
    content => @("END"),
      # Cache of ${settings['cache']} MB.
      | END
  }

  cron { 'copy the database':
    command => '/usr/local/bin/copy-database',
    hour    => 2,
    minute  => fqdn_rand(60),
  }
}
