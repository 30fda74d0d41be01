# setup: mkdir -p /w/d/sub /w/d/kept; touch /w/d/a /w/d/b /w/d/sub/c /w/d/kept/d
file { '/w/d':
  ensure  => directory,
  recurse => true,
  purge   => true,
  force   => true,
}
file { '/w/d/a': ensure => file }
file { '/w/d/kept': ensure => directory }
