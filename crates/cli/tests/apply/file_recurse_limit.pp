# setup: mkdir -p /w/d/sub/deep /w/e/sub; touch /w/d/a /w/d/sub/b /w/d/sub/deep/c /w/e/x /w/e/sub/x; chmod -R 700 /w/d
file {
  '/w/d': ensure => directory, recurse => true, recurselimit => 1, group => 'mail';
  '/w/e': ensure => directory, recurse => true, recurselimit => 2, group => 'mail';
}
