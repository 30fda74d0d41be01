# setup: export GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z; git init -q -b main /srv/origin && cd /srv/origin && git config user.email a@b && git config user.name a && for i in 1 2 3; do echo $i > f && git add f && git commit -q -m $i && git tag v$i; done
vcsrepo { '/srv/work': ensure => present, provider => git, source => '/srv/origin', revision => 'v2' }
vcsrepo { '/srv/latest': ensure => latest, provider => git, source => '/srv/origin', revision => 'main' }
vcsrepo { '/srv/bare': ensure => bare, provider => git, source => '/srv/origin' }
vcsrepo { '/srv/empty': ensure => present, provider => git }
