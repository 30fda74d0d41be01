# long: the role applies the module, too
class { 'apache':
  default_vhost => false,
  mpm_module    => 'event',
  server_tokens => 'Prod',
}
include apache::mod::headers
include apache::mod::rewrite
apache::vhost { 'www.example.org':
  port          => 8080,
  docroot       => '/srv/www',
  docroot_owner => 'www-data',
  docroot_group => 'www-data',
  headers       => ['set X-Site example'],
  rewrites      => [{ rewrite_rule => ['^/old /new [R=301,L]'] }],
  custom_fragment => "# by hand\n",
}
apache::vhost { 'static.example.org':
  port    => 8081,
  docroot => '/srv/static',
  aliases => [{ alias => '/img', path => '/srv/img' }],
}
