# differs: log: that it is enabled or disabled is told even if it is started or stopped, too
file { '/etc/systemd/system/peer.service': content => "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n" }
~> service { 'peer': ensure => running, enable => true }
