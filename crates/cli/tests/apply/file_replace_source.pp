# setup: printf 'kept\n' >/w/kept
file {
  '/w/kept': source => 'puppet:///modules/peer/plain', replace => false;
  '/w/new': source => 'puppet:///modules/peer/plain', replace => no;
}
