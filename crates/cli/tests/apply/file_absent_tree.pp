# differs: resources: Puppet looks at all that it removes
# setup: mkdir -p /w/d/e; touch /w/d/e/f
file { '/w/d': ensure => absent, recurse => true, force => true, backup => false }
