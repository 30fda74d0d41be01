# setup: printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
# setup: systemctl start peer
service { 'peer': ensure => stopped, enable => mask }
