# What every machine has.
class profile::base (
  String[1] $motd,
  Array[String[1]] $packages,
) {
  file { '/etc/motd':
    content => epp('profile/motd.epp', { 'text' => $motd }),
    owner   => 'root',
    group   => 'root',
    mode    => '0644',
  }

  package { $packages:
    ensure => installed,
  }

  file { '/opt/tools':
    ensure  => directory,
    source  => 'puppet:///modules/profile/tools',
    recurse => true,
    purge   => true,
    mode    => 'u+rwX,go+rX,go-w',
  }

  file { '/etc/nologin.example':
    ensure => absent,
  }

  file { '/usr/local/bin/list-files':
    ensure => link,
    target => '/usr/bin/tree',
  }
}
