# setup: touch /w/a /w/b /w/c /w/d; chmod 755 /w/a /w/b; chmod 7777 /w/c; chmod 640 /w/d; mkdir /w/dir
file {
  '/w/a': mode => 'u+s,g+s';
  '/w/b': mode => '+t';
  '/w/c': mode => 'u-s,o-w';
  '/w/d': mode => 'g=u,o=g';
  '/w/dir': mode => 'g+s,o-rwx';
}
