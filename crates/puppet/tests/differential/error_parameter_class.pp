notify { 'a':
  message => Class,
}
