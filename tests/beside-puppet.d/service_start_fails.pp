# setup: printf '[Service]\nExecStart=/bin/false\nType=oneshot\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
service { 'peer': ensure => running }
