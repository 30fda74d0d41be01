# setup: printf 'kept\n' >/w/kept; ln -s /old /w/link; mkdir /w/dir
file {
  '/w/kept': content => "new\n", replace => false, mode => '0600';
  '/w/new': content => "new\n", replace => false;
  '/w/link': ensure => link, target => '/new', replace => false;
  '/w/dir': ensure => file, content => 'x', replace => false, force => true;
}
