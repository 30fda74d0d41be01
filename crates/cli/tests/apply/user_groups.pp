# setup: groupadd -g 4500 one; groupadd -g 4501 two; useradd -u 4002 -G one min; useradd -u 4003 -G one,two inc
user { 'min': groups => ['two'] }
user { 'inc': groups => 'two', membership => inclusive }
user { 'new': ensure => present, uid => 4004, groups => ['one', 'two'] }
