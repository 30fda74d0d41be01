$x = 1
[1, 2].each |$x| { $y = $x * 10  notify { "x${x} y${y}": } }
notify { "outer ${x}": }
