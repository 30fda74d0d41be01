# differs: exit: Puppet removes the file while it only looks, and fails
# differs: resources: the same
# differs: log: the same
# modules: installed
# setup: printf '10.0.0.1 a\n' >/w/hosts
augeas { 'gone': incl => '/w/hosts', lens => 'Hosts.lns', changes => 'rm /files/w/hosts' }
