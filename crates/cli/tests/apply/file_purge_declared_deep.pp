# differs: exit: Puppet removes the directory that holds a declared file
# differs: resources: Puppet removes the directory that holds a declared file
# differs: log: Puppet removes the directory that holds a declared file
# differs: files: Puppet removes the directory that holds a declared file
# setup: mkdir -p /w/d/sub/deep; touch /w/d/a /w/d/sub/deep/z /w/d/sub/deep/keep /w/d/sub/b
file { '/w/d':
  ensure  => directory,
  recurse => true,
  purge   => true,
  force   => true,
}
file { '/w/d/sub/deep/keep': content => "kept\n" }
