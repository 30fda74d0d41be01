# differs: log: new content is told by its digest also where times are compared
# setup: printf 'old\n' >/w/a; printf 'old\n' >/root/s; touch -d 2001-01-01 /root/s
file {
  '/w/a': content => "new\n", checksum => md5;
  '/w/sha': content => "new\n", checksum => sha512;
  '/w/lite': content => "new\n", checksum => sha256lite;
  '/w/mtime': source => '/root/s', checksum => mtime;
}
