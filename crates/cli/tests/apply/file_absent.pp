# differs: exit: Puppet says that it removed the directory that it left
# differs: resources: Puppet says that it removed the directory that it left
# differs: log: Puppet says that it removed the directory that it left
# setup: touch /w/a; ln -s /w/a /w/l; mkdir /w/d; mkdir /w/full; touch /w/full/x; mkfifo /w/pipe
file {
  ['/w/a', '/w/l', '/w/d', '/w/pipe', '/w/never']: ensure => absent;
  '/w/full': ensure => absent, force => true;
}
