# An application: its files, a step that builds something from them, and one that follows changes.
class profile::app {
  file { ['/srv/app', '/srv/app/conf.d']:
    ensure => directory,
    owner  => 'ada',
    group  => 'staff-web',
    mode   => '2750',
  }

  ['alpha', 'beta', 'gamma'].each |$name| {
    profile::setting { $name:
      value => $name.upcase,
    }
  }

  file { '/srv/app/secret':
    content => Sensitive('correct horse battery staple'),
    owner   => 'ada',
    group   => 'staff-web',
    mode    => '0600',
  }

  exec { 'build the index':
    command => 'cat /srv/app/conf.d/* > /srv/app/index && id -Gn > /srv/app/groups',
    path    => ['/usr/bin', '/bin'],
    user    => 'ada',
    creates => '/srv/app/index',
    require => File['/srv/app/secret'],
  }

  exec { 'note the change':
    command     => '/bin/date >> /srv/app/changes',
    provider    => shell,
    refreshonly => true,
  }

  Profile::Setting <| |> -> Exec['build the index']
  Profile::Setting <| |> ~> Exec['note the change']
}
