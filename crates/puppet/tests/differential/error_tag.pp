notify { 'a':
  tag => 'b c',
}
