file { '/w/d':
  ensure       => directory,
  recurse      => true,
  source       => ['puppet:///modules/peer/more', 'puppet:///modules/peer/tree'],
  sourceselect => all,
}
