# long: crates/cli/tests/apply/module_apt_key.pp compares the type
# setup: apt-get install -qq -y gnupg >/dev/null; echo 'deb [trusted=yes] file:/srv/debs ./' >/etc/apt/sources.list; mkdir -p /srv/debs; : >/srv/debs/Packages
# query: apt-key adv --no-tty --list-keys --with-colons 2>/dev/null | grep -e ^pub -e ^uid
class { 'apt': update => { 'frequency' => 'reluctantly' } }
file { '/srv/b.asc':
  content => @(END),
    -----BEGIN PGP PUBLIC KEY BLOCK-----

    mDMEXgvhABYJKwYBBAHaRw8BAQdAFEKNnHndaJEDYfpwwAn0HZYaw5Kk7LWCP4XY
    d5zE6mS0FUtleSBiIDxiQGV4YW1wbGUub3JnPoiQBBMWCAA4FiEEN7o7AOOUnCTd
    JC8IXhUeGbPPgv0FAl4L4QACGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ
    XhUeGbPPgv3mYAD/bJipq18Lha8U9rK1GuLq4RNTdq+WivNMC8DDMa0wjMMA+wcK
    a6TRjZjsL/TwqyD//3qXmpOHPJW2RjBkjgg2pP8O
    =+b+g
    -----END PGP PUBLIC KEY BLOCK-----
    | END
}
-> apt::key { '37BA3B00E3949C24DD242F085E151E19B3CF82FD': source => '/srv/b.asc' }
apt::key { 'a':
  id      => 'D51DA62802B4F2E44DB56A26A687144962A209DB',
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
apt::key { 'never': ensure => absent, id => '0x00000000' }
