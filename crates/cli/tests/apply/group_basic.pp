# setup: groupadd -g 4000 old; groupadd -g 4001 gone; groupadd -g 4002 same
group {
  'fresh': ensure => present, gid => 4100;
  'old': gid => 4101;
  'gone': ensure => absent;
  'same': ensure => present, gid => 4002;
  'never': ensure => absent;
}
