package { 'peer-alpha': ensure => installed, provider => dnf, install_options => ['--enablerepo=second'] }
