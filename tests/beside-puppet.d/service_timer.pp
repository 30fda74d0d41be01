# differs: log: that it is enabled or disabled is told even if it is started or stopped, too
# setup: printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer.service; systemctl daemon-reload
# setup: printf '[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n' >/etc/systemd/system/peer.timer; systemctl daemon-reload
service { 'peer.timer': ensure => running, enable => true }
