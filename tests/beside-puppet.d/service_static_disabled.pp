# setup: printf '[Service]\nExecStart=/bin/sleep infinity\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
service { 'peer': ensure => stopped, enable => false }
