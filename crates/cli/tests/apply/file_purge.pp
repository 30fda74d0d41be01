# differs: resources: Puppet says that it removed the directory that it left
# differs: log: Puppet says that it removed the directory that it left
# setup: mkdir -p /w/d/sub; touch /w/d/a /w/d/b /w/d/sub/c; ln -s a /w/d/l
# between: touch /w/d/again
file { '/w/d':
  ensure  => directory,
  recurse => true,
  purge   => true,
}
file { '/w/d/a': ensure => file }
