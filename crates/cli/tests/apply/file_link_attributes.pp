# setup: touch /w/real; ln -s /w/real /w/link
file { '/w/link': owner => 'daemon', mode => '0600' }
