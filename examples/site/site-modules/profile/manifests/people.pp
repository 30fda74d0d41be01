# Who may log in.
class profile::people (
  Hash[String[1], Integer] $groups,
  Hash[String[1], Hash] $users,
) {
  $groups.each |$name, $gid| {
    group { $name:
      gid => $gid,
    }
  }

  $users.each |$name, $attributes| {
    user { $name:
      home           => "/home/${name}",
      managehome     => true,
      purge_ssh_keys => false,
      *              => $attributes,
    }
    file { "/home/${name}/.profile":
      content => "umask 027\n",
      owner   => $name,
      mode    => '0640',
    }
  }

  user { 'games':
    ensure => absent,
  }
}
