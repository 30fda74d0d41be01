# differs: resources: in its report Puppet names what audit saw beside what was changed
# setup: printf 'x' >/w/a; chmod 644 /w/a
# between: printf 'y' >/w/a; chmod 600 /w/a; printf 'two' >/w/managed; printf 'z' >/w/none
file { '/w/a': audit => ['content', 'mode'] }
file { '/w/managed': ensure => file, content => 'one', audit => 'content' }
file { '/w/none': audit => ['ensure', 'content', 'target', 'owner', 'group', 'mode', 'type'] }
group { 'games': audit => 'gid' }
user { 'games': audit => all }
