# setup: mkdir /w/d; touch /w/d/own
file { '/w/d':
  ensure  => directory,
  recurse => true,
  source  => 'puppet:///modules/peer/tree',
}
