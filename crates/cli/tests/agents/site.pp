# Everything that a catalog can hold and that an agent can do to a directory of its own.
class base(String $greeting = 'hello', Sensitive[String] $password = Sensitive('secret')) {
  $dir = $facts['target']

  file { $dir: ensure => directory, mode => '0755' }
  file { "${dir}/plain": content => "${greeting}\n", mode => '0640' }
  file { "${dir}/password": content => $password, mode => '0600' }
  file { "${dir}/bytes": content => Binary('AP8='), mode => '0644' }
  file { "${dir}/link": ensure => link, target => "${dir}/plain" }
  file { "${dir}/gone": ensure => absent }
  file { "${dir}/tree": ensure => directory, mode => '0750' }

  base::part { 'one':
    number  => 3,
    wait    => Timespan('0-01:00:00'),
    pattern => /^a.c$/,
    kind    => Array[Integer[1, 2]],
    release => SemVer('1.2.3'),
  }

  exec { 'marks':
    command => ['/bin/sh', '-c', "echo made > '${dir}/a mark'"],
    creates => "${dir}/a mark",
    require => File[$dir],
  }
  exec { 'told':
    command     => "echo told >> ${dir}/told",
    path        => '/bin:/usr/bin',
    refreshonly => true,
    subscribe   => File["${dir}/plain"],
  }
  exec { "touch ${dir}/touched":
    path    => ['/bin', '/usr/bin'],
    unless  => ["test -e ${dir}/touched", "test -e ${dir}/touched"],
    timeout => 1.5,
    tries   => 2,
    tag     => ['first', 'second'],
    notify  => Exec['told'],
  }

  File["${dir}/plain"] -> Base::Part['one'] ~> Exec['told']
}

define base::part(
  Integer $number,
  Timespan $wait,
  Regexp $pattern,
  Type $kind,
  SemVer $release,
) {
  file { "${facts['target']}/tree/${title}":
    content => "${number} ${wait} ${pattern} ${kind} ${release}\n",
    mode    => '0644',
  }
}

class early {
  exec { '/bin/echo early': refreshonly => true, logoutput => on_failure }
}

stage { 'early': before => Stage['main'] }
class { 'early': stage => 'early' }
include base
@file { '/virtual/resources/stay/away': ensure => file }
