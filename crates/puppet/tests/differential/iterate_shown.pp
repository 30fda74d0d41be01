notice([1, 'a'].reverse_each, 3.step(2), "${[[1]].reverse_each}", [['x'].step(1)])
notify { 'a': message => "${['b'].reverse_each}" }
[1, [2, 3]].tree_each |$path, $value| {
  if $value == 2 { break() }
  notice($value)
}
