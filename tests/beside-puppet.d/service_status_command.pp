# setup: printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
service { 'peer': ensure => running, hasstatus => false, status => '/usr/bin/systemctl -q is-active peer' }
