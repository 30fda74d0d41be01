exec { '/bin/echo one >> /w/log': }
exec { 'two':
  command => 'echo two >> /w/log',
  path    => '/bin:/usr/bin',
}
exec { 'list':
  command => ['/bin/sh', '-c', 'echo $0 $1 >> /w/log', 'a b', '$HOME'],
}
exec { 'shell':
  command  => 'for i in 1 2; do echo $i; done >> /w/log',
  provider => shell,
}
