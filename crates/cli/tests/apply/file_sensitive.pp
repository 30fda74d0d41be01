# setup: printf 'old\n' >/w/changed
file {
  '/w/a': content => Sensitive("secret\n");
  '/w/changed': content => Sensitive("secret\n");
}
