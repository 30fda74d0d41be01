# setup: printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
# setup: systemctl start peer
service { 'peer': ensure => running, restart => '/bin/sh -c "echo restarted >>/w/log"' }
exec { '/bin/true': } ~> Service['peer']
