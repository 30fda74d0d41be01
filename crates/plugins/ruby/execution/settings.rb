# Settings that code asks for and nobody gave: those of an agent of Puppet that is installed from its packages.
module Ordain
  module AgentSettings
    VARDIR = '/opt/puppetlabs/puppet/cache'
    CONFDIR = '/etc/puppetlabs/puppet'

    # The settings with defaults below them.
    def self.complete(given, facts)
      vardir = given['vardir'] || VARDIR
      confdir = given['confdir'] || CONFDIR
      ssldir = given['ssldir'] || File.join(confdir, 'ssl')
      name = given['certname'] || facts.dig('networking', 'fqdn') || facts['fqdn'] || facts['hostname']
      {
        'vardir' => vardir, 'confdir' => confdir, 'ssldir' => ssldir, 'certname' => name&.downcase,
        'statedir' => File.join(vardir, 'state'), 'rundir' => '/var/run/puppetlabs', 'logdir' => '/var/log/puppetlabs/puppet',
        'libdir' => File.join(vardir, 'lib'), 'clientbucketdir' => File.join(vardir, 'clientbucket'),
        'yamldir' => File.join(vardir, 'yaml'), 'client_datadir' => File.join(vardir, 'client_data'),
        'hostcert' => File.join(ssldir, 'certs', "#{name}.pem"), 'hostprivkey' => File.join(ssldir, 'private_keys', "#{name}.pem"),
        'localcacert' => File.join(ssldir, 'certs', 'ca.pem'), 'hostcrl' => File.join(ssldir, 'crl.pem'),
        'certdir' => File.join(ssldir, 'certs'), 'privatekeydir' => File.join(ssldir, 'private_keys'),
        'config' => File.join(confdir, 'puppet.conf'), 'server' => 'puppet', 'masterport' => 8140, 'serverport' => 8140,
        'environment' => 'production', 'strict' => 'warning', 'trace' => false, 'debug' => false, 'noop' => false,
        'diff' => 'diff', 'diff_args' => '-u', 'digest_algorithm' => 'sha256', 'show_diff' => false,
        'http_connect_timeout' => 120, 'http_read_timeout' => 600, 'always_retry_plugins' => true
      }.merge(given.compact)
    end
  end
end
