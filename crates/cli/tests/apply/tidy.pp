# differs: log: what is tidied is removed at once, not after all that tidies
# setup: mkdir -p /srv/t/sub/empty /srv/t/full; for f in a.tmp b.txt .c.tmp sub/d.tmp full/e.txt; do echo content > /srv/t/$f; done; ln -s /nowhere /srv/t/l.tmp; touch -d '3 weeks ago' /srv/t/b.txt; head -c 5000 /dev/zero > /srv/t/sub/large
tidy { '/srv/t': recurse => true, matches => ['*.tmp'] }
tidy { 'old': path => '/srv/t', recurse => 1, age => '2w', type => 'mtime' }
tidy { 'large': path => '/srv/t/sub', recurse => true, size => '4k' }
tidy { '/srv/none': }
