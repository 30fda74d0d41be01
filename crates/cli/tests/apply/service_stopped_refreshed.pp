# setup: printf '#!/bin/sh\n### BEGIN INIT INFO\n# Provides: peer\n# Required-Start:\n# Required-Stop:\n# Default-Start: 2 3 4 5\n# Default-Stop: 0 1 6\n### END INIT INFO\ncase $1 in start) touch /w/up;; stop) rm -f /w/up;; restart) echo again >>/w/log;; status) test -e /w/up || exit 3;; esac\n' >/etc/init.d/peer; chmod 755 /etc/init.d/peer
service { 'peer': ensure => stopped, provider => debian }
exec { '/bin/true': } ~> Service['peer']
