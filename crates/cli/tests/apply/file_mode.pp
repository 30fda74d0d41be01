# setup: touch /w/a /w/b /w/c /w/d /w/e /w/f; chmod 644 /w/a /w/b /w/c /w/d /w/e; chmod 755 /w/f; mkdir /w/dir
file {
  '/w/a': mode => '0600';
  '/w/b': mode => '755';
  '/w/c': mode => 'u+x';
  '/w/d': mode => 'a=r,u+w';
  '/w/e': mode => 'go-r';
  '/w/f': mode => 'u=rw,g+X,o=';
  '/w/dir': mode => 'u+rwX,go+rX,go-w';
  '/w/new': content => "x\n", mode => 'u=rw,go=';
  '/w/setuid': content => "x\n", mode => '4755';
}
