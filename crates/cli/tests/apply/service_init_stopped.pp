# differs: files: a service is looked at again after a change
# setup: printf '#!/bin/sh\necho "$@" >>/w/log\ncase $1 in start) touch /w/up;; stop) rm -f /w/up;; status) test -e /w/up || exit 3;; esac\n' >/etc/init.d/peer; chmod 755 /etc/init.d/peer; touch /w/up
service { 'peer': ensure => stopped, provider => 'debian' }
