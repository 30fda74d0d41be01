exec { 'quiet':
  command  => Sensitive('echo secret; exit 1'),
  provider => shell,
}
