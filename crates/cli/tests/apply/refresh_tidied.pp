# setup: mkdir -p /srv/t; touch /srv/t/a /srv/t/b
tidy { '/srv/t': recurse => true, age => '0' } ~> exec { '/bin/echo told': refreshonly => true }
