file { '/w/a':
  content                 => 'x',
  seluser                 => 'system_u',
  selrole                 => 'object_r',
  seltype                 => 'etc_t',
  selrange                => 's0',
  selinux_ignore_defaults => true,
}
file { '/w/d': ensure => directory, seltype => 'etc_t' }
