# setup: printf 'old\n' >/w/changed; chmod 600 /w/changed
file {
  '/w/new': content => "new\n";
  '/w/empty': ensure => file;
  '/w/present': ensure => present;
  '/w/changed': content => "changed\n";
  '/w/list': content => "a\nb\n", mode => '0640';
  '/w/umlaut': content => "Ünïcödé\n";
}
