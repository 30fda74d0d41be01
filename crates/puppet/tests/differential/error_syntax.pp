notify { 'a':
  message =>
}
