# setup: mkdir /w/d1 /w/d2; touch /w/d1/x /w/f; ln -s /etc/passwd /w/l
file {
  '/w/d1': ensure => file, content => "was a directory\n", force => true;
  '/w/d2': ensure => link, target => '/x', force => true;
  '/w/f': ensure => directory;
  '/w/l': ensure => file, content => "was a link\n";
}
