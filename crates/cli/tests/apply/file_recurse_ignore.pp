# setup: mkdir /w/d; touch /w/d/own.bak /w/d/own
file { '/w/d':
  ensure  => directory,
  recurse => true,
  purge   => true,
  source  => 'puppet:///modules/peer/tree',
  ignore  => ['*.bak', 'sub'],
}
