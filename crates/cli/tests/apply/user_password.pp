# setup: useradd -u 4001 -p '$6$old' old; useradd -u 4002 ages
user { 'old': password => '$6$new' }
user { 'new': ensure => present, uid => 4003, password => Sensitive('$6$secret') }
user { 'ages': password_min_age => 1, password_max_age => 90, password_warn_days => 5, expiry => '2031-02-03' }
user { 'locked': ensure => present, uid => 4005, password => '!', system => true }
