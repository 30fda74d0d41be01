# setup: mkdir -p /srv/t/one/two /srv/t/three; echo a > /srv/t/one/two/f; echo b > /srv/t/one/g
tidy { '/srv/t/one': recurse => true, rmdirs => true }
file { '/srv/t/three/kept': content => "x\n" }
tidy { '/srv/t/three': recurse => true, matches => '*' }
