# differs: resources: Puppet has members managed by libuser alone
# differs: log: Puppet has members managed by libuser alone
# differs: files: Puppet has members managed by libuser alone
# setup: useradd -u 4201 ada; useradd -u 4202 bob; useradd -u 4203 eve; groupadd -g 4200 team; gpasswd -a eve team >/dev/null 2>&1
group { 'team': ensure => present, members => ['ada', 'bob'], auth_membership => true }
group { 'more': ensure => present, gid => 4300, members => ['ada'] }
