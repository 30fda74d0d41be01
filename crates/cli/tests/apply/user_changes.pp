# setup: groupadd -g 4500 staff2; useradd -u 4001 -m -c Old -s /bin/sh changed; useradd -u 4002 -G staff2,mail other
user { 'changed':
  ensure  => present,
  uid     => 4011,
  gid     => 'staff2',
  comment => 'New',
  shell   => '/bin/bash',
  home    => '/srv/changed',
}
user { 'other':
  groups     => ['games'],
  membership => inclusive,
}
