# differs: log: that it is enabled or disabled is told even if it is started or stopped, too
# setup: printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
# between: systemctl stop peer; systemctl disable -q peer
service { 'peer': ensure => running, enable => true }
