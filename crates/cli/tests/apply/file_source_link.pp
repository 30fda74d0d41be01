# setup: printf 'real\n' >/root/real; ln -s /root/real /root/link
file {
  '/w/managed': source => '/root/link', links => manage;
  '/w/followed': source => '/root/link', links => follow;
}
