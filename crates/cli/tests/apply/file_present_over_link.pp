# setup: touch /w/real; ln -s /w/real /w/link; ln -s /nowhere /w/dangling
file {
  '/w/link': ensure => present;
  '/w/dangling': ensure => present;
}
