# setup: mkdir -p /srv/t; head -c 3000 /dev/zero >/srv/t/big; touch /srv/t/small
tidy { '/srv/t': recurse => 1, size => '1k' }
