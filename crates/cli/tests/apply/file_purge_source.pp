# setup: mkdir -p /w/d/sub /w/d/old; touch /w/d/a /w/d/sub/c /w/d/old/x
file { '/w/d':
  ensure  => directory,
  recurse => true,
  purge   => true,
  force   => true,
  source  => 'puppet:///modules/peer/tree',
}
