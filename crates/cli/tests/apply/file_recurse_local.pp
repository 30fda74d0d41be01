# setup: mkdir -p /w/d/sub/deep; touch /w/d/a /w/d/sub/b /w/d/sub/deep/c; chmod -R 700 /w/d
file { '/w/d':
  ensure  => directory,
  recurse => true,
  owner   => 'daemon',
  mode    => '0644',
}
