file { '/a':
  nope => 1,
}
