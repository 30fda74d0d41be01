# A break() ends the iteration that a function or an included class is reached from.
function stop($x) {
  if $x == 2 { break() }
  $x * 10
}
function inner($x) {
  with($x) |$y| { stop($y) }
}
class quits {
  notify { 'before': }
  break()
}
notice([1, 2, 3].map |$x| { stop($x) })
notice([1, 2, 3].map |$x| { inner($x) })
notice({ a => 1, b => 2, c => 3 }.map |$k, $x| { stop($x) })
[1, 2].each |$x| {
  include quits
  notice("never ${x}")
}
include quits
notify { 'after': }
