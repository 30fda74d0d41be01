# Archives from files, unpacked, checked and replaced.
# modules: installed
# setup: mkdir /w/x; echo one >/w/x/one; echo two >/w/x/two; cd /w; chmod 0640 /w/x/two
# setup: tar -C /w --mtime=2020-01-01 -cf a.tar x; tar -C /w --mtime=2020-01-01 -czf a.tgz x; tar -C /w --mtime=2020-01-01 -cJf a.tar.xz x
# setup: printf 'plain\n' >plain; gzip -nc plain >p.gz; chmod 0600 a.tgz; mkdir out1 out2 out3 out4 out5 out6 out7 out8 out9
# setup: printf 'old' >/w/kept.tgz; printf 'old' >/w/gone.tgz; cp a.tgz there.tgz; printf 'x  other\n%s  a.tar\n' $(sha256sum a.tar | cut -d' ' -f1) >sums
# setup: mkdir /w/made; touch /w/made/already; chown 1 /w/out8
archive { '/w/copy.tgz': source => '/w/a.tgz' }
archive { '/w/uri.tar': source => 'file:///w/a.tar' }
archive { '/w/deep/er/copy.tar': source => '/w/a.tar' }
archive { '/w/t1.tar':
  source => '/w/a.tar', extract => true, extract_path => '/w/out1', creates => '/w/out1/x/one',
}
archive { '/w/t2.tgz':
  source => '/w/a.tgz', extract => true, extract_path => '/w/out2', creates => '/w/out2/x/one', cleanup => false,
}
archive { '/w/t3.tar.xz':
  source => '/w/a.tar.xz', extract => true, extract_path => '/w/out3', creates => '/w/out3/x/one',
}
archive { '/w/t4.tar':
  source => '/w/a.tar', extract => true, extract_path => '/w/out4', extract_command => 'tar xf %s --strip-components=1',
  creates => '/w/out4/one',
}
archive { '/w/t5.tar':
  source => '/w/a.tar', extract => true, extract_path => '/w/out5', extract_flags => '-x --exclude=two -f',
  creates => '/w/out5/x/one',
}
archive { '/w/t6.tar':
  source => '/w/a.tar', extract => true, extract_path => '/w/out6', extract_flags => { 'tar' => 'xvf' },
  creates => '/w/out6/x/one',
}
archive { '/w/t7.gz':
  source => '/w/p.gz', extract => true, extract_path => '/w/out7', creates => '/w/t7', extract_flags => '-kd',
}
archive { '/w/t8.tar':
  source => '/w/a.tar', extract => true, extract_path => '/w/out8', creates => '/w/out8/x/one', user => 'daemon', group => 'daemon',
}
archive { '/w/t9.tar': source => '/w/a.tar', extract => true, extract_path => '/w/out9', cleanup => false }
archive { '/w/already.tar':
  source => '/w/none', extract => true, extract_path => '/w/made', creates => '/w/made/already',
}
archive { '/w/there.tgz': source => '/w/a.tgz', extract => true, extract_path => '/w/made', creates => '/w/made/x/two' }
archive { '/w/sum.tar': source => '/w/a.tar', checksum_url => 'file:///w/sums', checksum_type => sha256 }
archive { '/w/wrong.tgz': source => '/w/a.tar', checksum => '00000000000000000000000000000000', checksum_type => md5 }
archive { '/w/gone.tgz': ensure => absent }
archive { '/w/not.there': ensure => absent }
archive { '/w/missing.tar': source => '/w/no such file' }
archive { '/w/nothing.tar': }
archive { '/w/noop.tar': source => '/w/a.tar', extract => true, extract_path => '/w/out1', creates => '/w/none', noop => true }
archive { '/w/nowhere.tar': source => '/w/a.tar', extract => true, extract_path => '/w/nowhere', creates => '/w/nowhere/x' }
archive { "/w/it's \"odd\" \$(x).tar":
  source => '/w/a.tar', extract => true, extract_path => '/w/out1', creates => '/w/out1/x/one', cleanup => false,
}
