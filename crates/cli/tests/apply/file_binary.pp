file { '/w/binary':
  content => Binary('AAECA/8=', '%B'),
}
