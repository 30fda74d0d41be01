# setup: printf 'local\n' >/root/local; chmod 700 /root/local
file {
  '/w/module': source => 'puppet:///modules/peer/plain';
  '/w/local': source => '/root/local';
  '/w/url': source => 'file:///root/local', mode => '0604';
  '/w/first': source => ['puppet:///modules/peer/missing', '/nowhere', '/root/local'];
}
