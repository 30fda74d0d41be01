notice 'a', 'b'
include a, b::c
$x = split('a b', ' ')
$x.map |$i| { $i * 2 }.filter |Integer $j, $k = 1| >> Boolean { $j > $k }.each |*$rest| { notice($rest) }
$y = Integer('3')
$z = $x.size + $x.length()
with(1) |$v| { }
