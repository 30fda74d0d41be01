# setup: mkdir /w/old; chmod 700 /w/old
file {
  '/w/new': ensure => directory;
  '/w/mode': ensure => directory, mode => '0640';
  '/w/owned': ensure => directory, owner => 'daemon', group => 'mail', mode => '2750';
  '/w/old': ensure => directory, mode => '0755';
}
