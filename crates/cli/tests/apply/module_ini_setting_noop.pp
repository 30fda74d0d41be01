# A setting that would be changed.
# modules: installed
# differs: log: the values show in a plan
# setup: printf 'k = v\n' >/w/h
ini_setting { 'noop': path => '/w/h', setting => 'k', value => '1', noop => true }
