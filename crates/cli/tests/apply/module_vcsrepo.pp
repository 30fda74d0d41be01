# Working copies, bare repositories and mirrors of repositories on the same machine.
# modules: installed
# differs: log: versions of the module tell different steps
# setup: export HOME=/root; git config --global user.email a@b; git config --global user.name a; git config --global --add safe.directory '*'
# setup: git init -q -b main /w/src; cd /w/src; echo 1 >f; git add .; GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' git commit -q -m 1 --date 2020-01-01T00:00:00Z; git tag v1; git branch old
# setup: cd /w/src; echo 2 >f; mkdir d; echo d >d/g; git add .; GIT_COMMITTER_DATE='2020-01-02T00:00:00Z' git commit -q -m 2 --date 2020-01-02T00:00:00Z; GIT_COMMITTER_DATE='2020-01-02T00:00:00Z' git tag -a v2 -m two
# setup: cp -a /w/src /w/second; for c in behind tagged moved; do git clone -q /w/src /w/$c; done; git -C /w/behind reset -q --hard v1; git -C /w/tagged checkout -q v1
# setup: mkdir /w/full /w/forced; echo x >/w/full/x; echo x >/w/forced/x; mkdir /w/empty
# between: cd /w/src; echo 3 >f; GIT_COMMITTER_DATE='2020-01-03T00:00:00Z' git -c user.email=a@b -c user.name=a commit -q -am 3 --date 2020-01-03T00:00:00Z
Vcsrepo { provider => git }
vcsrepo { '/w/plain': ensure => present, source => '/w/src' }
vcsrepo { '/w/tag': ensure => present, source => '/w/src', revision => 'v1' }
vcsrepo { '/w/annotated': ensure => present, source => '/w/src', revision => 'v2' }
vcsrepo { '/w/branch': ensure => present, source => '/w/src', revision => 'old' }
vcsrepo { '/w/behind': ensure => latest, source => '/w/src', revision => 'main' }
vcsrepo { '/w/tagged': ensure => present, source => '/w/src', revision => 'v2' }
vcsrepo { '/w/moved': ensure => present, source => '/w/src', revision => 'old' }
vcsrepo { '/w/bare': ensure => bare, source => '/w/src' }
vcsrepo { '/w/init': ensure => present }
vcsrepo { '/w/init.bare': ensure => bare }
vcsrepo { '/w/empty': ensure => present, source => '/w/src' }
vcsrepo { '/w/full': ensure => present, source => '/w/src' }
vcsrepo { '/w/forced': ensure => present, source => '/w/src', force => true }
vcsrepo { '/w/shallow': ensure => present, source => 'file:///w/src', depth => 1 }
vcsrepo { '/w/upstream': ensure => present, source => '/w/src', remote => 'upstream' }
vcsrepo { '/w/excludes': ensure => present, source => '/w/src', excludes => ['*.o', 'tmp'] }
vcsrepo { '/w/unknown': ensure => present, source => '/w/src', revision => 'nothing' }
vcsrepo { '/w/no.source': ensure => present, source => '/w/nothing' }
vcsrepo { '/w/noop': ensure => present, source => '/w/src', noop => true }
