# setup: printf 'old\n' >/w/real; ln -s /w/real /w/link
file { '/w/link': content => "new\n" }
