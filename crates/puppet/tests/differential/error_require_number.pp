notify { 'a':
  message => 'x',
  require => 3,
}
