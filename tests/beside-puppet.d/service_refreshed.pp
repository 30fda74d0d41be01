# setup: printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
# setup: systemctl start peer; printf '[Service]\nExecStartPre=/bin/sh -c "echo started >>/w/log"\n' >/etc/systemd/system/peer.tmp; mkdir -p /etc/systemd/system/peer.service.d; mv /etc/systemd/system/peer.tmp /etc/systemd/system/peer.service.d/log.conf; systemctl daemon-reload
service { 'peer': ensure => running }
exec { '/bin/true': } ~> Service['peer']
