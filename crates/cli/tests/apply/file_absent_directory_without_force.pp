# differs: exit: Puppet says that it removed the directory that it left
# differs: resources: Puppet says that it removed the directory that it left
# differs: log: Puppet says that it removed the directory that it left
# setup: mkdir /w/d; touch /w/d/x
file { '/w/d': ensure => absent }
