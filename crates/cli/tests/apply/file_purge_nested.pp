# setup: mkdir -p /w/d/sub/deep /w/d/gone/x; touch /w/d/a /w/d/sub/c /w/d/sub/keep /w/d/sub/deep/z /w/d/gone/x/y
file { '/w/d':
  ensure  => directory,
  recurse => true,
  purge   => true,
  force   => true,
}
file { '/w/d/sub':
  ensure  => directory,
  recurse => true,
  purge   => true,
  force   => true,
}
file { '/w/d/sub/keep': ensure => file }
