# differs: files: Puppet replaces the link that it shall follow
# setup: printf 'old\n' >/w/real; ln -s /w/real /w/link; ln -s /w/real /w/managed; ln -s real /w/mode
file {
  '/w/link': content => "new\n", links => follow;
  '/w/mode': mode => '0600', links => follow;
}
