# setup: touch /w/a /w/b /w/c; chown daemon:daemon /w/a
file {
  '/w/a': owner => 'root', group => 'root';
  '/w/b': owner => 'daemon', group => 'mail';
  '/w/c': owner => 65000, group => '65001';
  '/w/new': content => "x", owner => 'daemon', group => 8;
}
