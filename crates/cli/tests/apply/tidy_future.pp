# setup: mkdir -p /srv/t; touch -d '2 days' /srv/t/new; touch /srv/t/old
tidy { '/srv/t': recurse => true, age => '0s', type => mtime }
