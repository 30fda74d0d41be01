# setup: printf 'old\n' >/w/old; chmod 600 /w/old
# options: --noop
file { '/w/new': content => "x\n" }
file { '/w/old': content => "x\n", mode => '0644' }
exec { '/bin/echo x >> /w/log': }
exec { '/bin/echo y >> /w/log': refreshonly => true, subscribe => File['/w/new'] }
exec { '/bin/echo z >> /w/log': noop => false }
notify { 'hello': }
