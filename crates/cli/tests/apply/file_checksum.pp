# setup: printf 'old\n' >/w/a; printf 'old\n' >/root/s; touch -d 2001-01-01 /root/s
file {
  '/w/a': content => "new\n", checksum => md5;
  '/w/sha': content => "new\n", checksum => sha512;
  '/w/lite': content => "new\n", checksum => sha256lite;
  '/w/mtime': source => '/root/s', checksum => mtime;
  '/w/value': source => '/root/s', checksum => sha256, checksum_value => '9160bd9b59c1d6d4f2c8a8e9d4e8f0c0b4a3a0b5a0c0d0e0f000000000000000';
}
