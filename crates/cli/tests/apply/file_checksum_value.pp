# differs: log: new content is told by its digest
# setup: printf 'x\n' >/root/s
file { '/w/right':
  ensure => file,
  source         => '/root/s',
  checksum       => sha256,
  checksum_value => '73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac',
}
