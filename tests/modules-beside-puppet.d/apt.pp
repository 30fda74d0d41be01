# setup: apt-get install -qq -y gnupg >/dev/null; mkdir -p /srv/debs && : > /srv/debs/Packages && rm -f /etc/apt/sources.list
class { "apt": update => { "frequency" => "reluctantly" } }
apt::source { 'local':
  location => 'file:///srv/debs',
  release  => './',
  repos    => '',
  allow_unsigned => true,
}
apt::pin { 'local': origin => 'local', priority => 700 }
apt::conf { 'norecommends': priority => 30, content => "APT::Install-Recommends \"0\";\n" }
apt::setting { 'conf-extra': content => "APT::Color \"0\";\n" }
