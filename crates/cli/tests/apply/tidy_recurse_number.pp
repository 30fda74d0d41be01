# setup: mkdir -p /srv/t/a/b; touch /srv/t/x /srv/t/a/x /srv/t/a/b/x
tidy { '/srv/t/a': recurse => '1', age => '0s' }
