# differs: files: a service is looked at again after a change
# setup: printf '#!/bin/sh\n### BEGIN INIT INFO\n# Provides: peer\n# Required-Start:\n# Required-Stop:\n# Default-Start: 2 3 4 5\n# Default-Stop: 0 1 6\n### END INIT INFO\necho "$@" >>/w/log\ncase $1 in start) touch /w/up;; stop) rm -f /w/up;; status) test -e /w/up || exit 3;; restart) touch /w/up;; esac\n' >/etc/init.d/peer; chmod 755 /etc/init.d/peer
service { 'peer': ensure => running, provider => 'debian' }
exec { '/bin/true': notify => Service['peer'] }
