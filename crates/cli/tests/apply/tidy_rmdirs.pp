# setup: mkdir -p /srv/t/a/b /srv/t/c; touch /srv/t/a/b/x.log /srv/t/c/y
tidy { '/srv/t': recurse => true, matches => '*.log', rmdirs => true, age => '0' }
