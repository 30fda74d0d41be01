# differs: log: that it is enabled or disabled is told even if it is started or stopped, too
# setup: mkdir -p /etc/systemd/system /usr/local/lib/systemd/system; printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/usr/local/lib/systemd/system/peer.service; systemctl daemon-reload; systemctl mask -q peer
service { 'peer': ensure => running, enable => true }
