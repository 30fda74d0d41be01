# setup: mkdir -p /run/systemd/system; printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/run/systemd/system/peer.service; systemctl daemon-reload; systemctl mask -q --runtime peer || true
service { 'peer': enable => true }
