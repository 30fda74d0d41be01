# setup: mkdir -p /w/d/sub; touch /w/d/a /w/d/b /w/d/sub/c
file { '/w/d':
  ensure  => directory,
  recurse => true,
  owner   => 'daemon',
}
file { '/w/d/a': owner => 'mail' }
file { '/w/d/sub': ensure => directory, owner => 'root' }
