# setup: printf 'old\n' >/w/a; chmod 600 /w/a; printf 'old\n' >/w/b; mkdir /w/d; touch /w/d/x; ln -s /x /w/l
# between: printf 'older\n' >/w/a
file {
  default: backup => '.bak';
  '/w/a': content => "new\n";
  '/w/b': ensure => absent;
  '/w/d': ensure => absent, force => true;
  '/w/l': ensure => absent;
}
