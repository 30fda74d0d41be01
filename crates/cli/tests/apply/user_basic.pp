# setup: useradd -u 4001 -m gone; useradd -u 4002 same
user {
  'ada': ensure => present, uid => 4100, comment => 'Ada L', shell => '/bin/bash', home => '/home/ada', managehome => true, gid => 'mail';
  'plain': ensure => present, uid => 4101;
  'gone': ensure => absent, managehome => true;
  'same': ensure => present, uid => 4002;
  'never': ensure => absent;
}
