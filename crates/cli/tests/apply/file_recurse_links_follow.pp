file { '/w/d':
  ensure  => directory,
  recurse => remote,
  links   => follow,
  source  => 'puppet:///modules/peer/tree',
}
