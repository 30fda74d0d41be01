$r = Integer[1, 10].step(3).map |$x| { $x }
$e = [1, 2, 3].reverse_each.map |$x| { $x }
notify { "${r} ${e}": }
