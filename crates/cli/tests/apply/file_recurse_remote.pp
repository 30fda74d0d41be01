# setup: mkdir /w/d; touch /w/d/own; chmod 600 /w/d/own
file { '/w/d':
  ensure  => directory,
  recurse => remote,
  source  => 'puppet:///modules/peer/tree',
  mode    => '0640',
}
