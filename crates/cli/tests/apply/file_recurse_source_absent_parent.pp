file { '/w/new':
  ensure  => directory,
  recurse => true,
  source  => 'puppet:///modules/peer/tree',
  owner   => 'daemon',
}
