# differs: log: that it is enabled or disabled is told even if it is started or stopped, too
# setup: printf '[Service]\nExecStart=/bin/sleep %%i\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/peer@.service; systemctl daemon-reload
service { 'peer@1000': ensure => running, enable => true }
