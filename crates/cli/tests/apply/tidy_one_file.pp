# setup: touch -d '2 days ago' /srv/old; touch /srv/new
tidy { ['/srv/old', '/srv/new']: age => '1d' }
