# differs: files: Puppet gives a link the number of its owner as group
file { '/w/new':
  ensure  => directory,
  recurse => true,
  source  => 'puppet:///modules/peer/tree',
  owner   => 'daemon',
}
