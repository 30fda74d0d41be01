# Keys for apt, in apt's own keyring and in files.
# needs: apt-key gnupg
# needs: gpg gnupg
# public: apt
# setup: rm -f /etc/apt/trusted.gpg /etc/apt/trusted.gpg.d/*; mkdir -m 700 /run/gnupg; ln -s /run/gnupg /root/.gnupg
# setup: cat >/w/b.asc <<'END'
# setup: -----BEGIN PGP PUBLIC KEY BLOCK-----
# setup: 
# setup: mDMEXgvhABYJKwYBBAHaRw8BAQdAFEKNnHndaJEDYfpwwAn0HZYaw5Kk7LWCP4XY
# setup: d5zE6mS0FUtleSBiIDxiQGV4YW1wbGUub3JnPoiQBBMWCAA4FiEEN7o7AOOUnCTd
# setup: JC8IXhUeGbPPgv0FAl4L4QACGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ
# setup: XhUeGbPPgv3mYAD/bJipq18Lha8U9rK1GuLq4RNTdq+WivNMC8DDMa0wjMMA+wcK
# setup: a6TRjZjsL/TwqyD//3qXmpOHPJW2RjBkjgg2pP8O
# setup: =+b+g
# setup: -----END PGP PUBLIC KEY BLOCK-----
# setup: END
# setup: cat >/w/old.asc <<'END'
# setup: -----BEGIN PGP PUBLIC KEY BLOCK-----
# setup: 
# setup: mDMEXgvhABYJKwYBBAHaRw8BAQdAwDV8LpQ/fhWmw9Fel7VQamBQKmj2vaMqHyu+
# setup: MjZk0ua0FU9sZCA8b2xkQGV4YW1wbGUub3JnPoiWBBMWCAA+FiEEeg2OSk6cC/dZ
# setup: nNv4qrvtow+goA0FAl4L4QACGwMFCQHjLcAFCwkIBwIGFQoJCAsCBBYCAwECHgEC
# setup: F4AACgkQqrvtow+goA3lMwD9FAhhd3H+ym8gq0VMbDXhWgzMP7riOYW9D+MK3jA8
# setup: T/AA+QHGQsIHenV2vFoJQz192rHEXjTJNOlUnJbawLQADNIK
# setup: =MVOW
# setup: -----END PGP PUBLIC KEY BLOCK-----
# setup: END
# setup: apt-key add /w/old.asc >/dev/null 2>&1; gpg --dearmor </w/old.asc >/etc/apt/trusted.gpg.d/gone.gpg 2>/dev/null
# between: apt-key del D51DA62802B4F2E44DB56A26A687144962A209DB >/dev/null 2>&1
# query: apt-key adv --no-tty --list-keys --with-colons 2>/dev/null | grep -e ^pub -e ^fpr | cut -d: -f 5,10
# query: ls /etc/apt/trusted.gpg.d
apt_key { 'unmanaged': id => '37BA3B00E3949C24' }
apt_key { 'by source': ensure => present, id => '0x37ba3b00e3949c24dd242f085e151e19b3cf82fd', source => '/w/b.asc' }
apt_key { 'D51DA62802B4F2E44DB56A26A687144962A209DB':
  ensure  => present,
  content => @(END),
    -----BEGIN PGP PUBLIC KEY BLOCK-----

    mDMEXgvhABYJKwYBBAHaRw8BAQdAgv7l0jfdk3Qw1Fkn5ANdSNxOMwA9OdCsjHCc
    rUhzNMm0FUtleSBhIDxhQGV4YW1wbGUub3JnPoiQBBMWCAA4FiEE1R2mKAK08uRN
    tWompocUSWKiCdsFAl4L4QACGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ
    pocUSWKiCdue+gD/UCTy8RxNRxayLcuafIPcpCozqCrE1CnxBkc3emAbet0A/3lX
    1z96e+bUIfcmjqV7J25FSZASBzVESNrkMyyrNooE
    =HOCa
    -----END PGP PUBLIC KEY BLOCK-----
    | END
}
apt_key { 'AABBEDA30FA0A00D': ensure => absent }
apt_key { '0000000000000000000000000000000000000000': ensure => present, content => 'no key at all' }
apt_key { '11111111': ensure => present, source => '/w/nothing' }
