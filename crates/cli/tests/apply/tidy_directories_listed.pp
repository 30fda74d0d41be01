# setup: mkdir -p /srv/t/old /srv/m/old; touch -d '50 days ago' /srv/t/old/f /srv/m/old/f; touch -d '50 days ago' /srv/t/old /srv/m/old
tidy { '/srv/t': recurse => true, rmdirs => true, age => '1w' }
tidy { '/srv/m': recurse => true, rmdirs => true, age => '1w', type => mtime }
