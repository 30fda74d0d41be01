# differs: log: audited properties are not remembered from run to run yet
# setup: printf 'x' >/w/a
file { '/w/a': audit => ['content', 'mode'] }
