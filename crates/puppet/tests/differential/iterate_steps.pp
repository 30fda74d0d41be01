$r = Integer[1, 10].step(3).map |$x| { $x }
$e = [1, 2, 3].reverse_each.map |$x| { $x }
notify { "${r} ${e}": }
$entries = { 'a' => 'first', 'b' => 2 }
notice(type($entries.reverse_each))
notice(type($entries.step(1), generalized))
notice(type({}.reverse_each))
