# setup: mkdir -p /srv/pack/app && echo hello > /srv/pack/app/readme && tar --mtime=@0 -C /srv/pack -czf /srv/app.tar.gz app && tar --mtime=@0 -C /srv/pack -cJf /srv/app.tar.xz app && mkdir -p /opt/one /opt/two
archive { '/tmp/app.tar.gz':
  source       => 'file:///srv/app.tar.gz',
  extract      => true,
  extract_path => '/opt/one',
  creates      => '/opt/one/app/readme',
  cleanup      => true,
}
archive { '/tmp/kept.tar.xz':
  source       => '/srv/app.tar.xz',
  extract      => true,
  extract_path => '/opt/two',
  creates      => '/opt/two/app',
  cleanup      => false,
}
