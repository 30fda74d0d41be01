# differs: exit: Puppet loses the set-id bits with a new owner until the next run
# differs: resources: Puppet loses the set-id bits with a new owner until the next run
# differs: log: Puppet loses the set-id bits with a new owner until the next run
# differs: files: Puppet loses the set-id bits with a new owner until the next run
# setup: touch /w/a; chmod 4755 /w/a
file { '/w/a': owner => 'daemon', mode => '4755' }
