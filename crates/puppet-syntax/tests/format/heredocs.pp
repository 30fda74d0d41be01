file { '/a':
content => @(END),
    text  stays
  as it is
  | END
    mode=>'0644',
}
$x = [@("A"), @(B)]
  a ${  y  }
  |- A
  b
  | B
$y = "several
  lines  ${ a }"
notify { 'z': message => @(M) }
  m
  | M
