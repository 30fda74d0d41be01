# setup: printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
# setup: systemctl start peer
# between: systemctl stop peer; echo '# changed' >>/etc/systemd/system/peer.service
service { 'peer': ensure => running }
