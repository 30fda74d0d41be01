# setup: mkdir -p /srv/t/old; touch -d '50 days ago' /srv/t/old/f; touch -d '50 days ago' /srv/t/old
tidy { '/srv/t': recurse => true, rmdirs => true, age => '1w' }
