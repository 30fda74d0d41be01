$a = 1 + 2 * 3 - 4 / 5 % 6
$b = !$a == 1 and $b or $c != 2
$c = 1 << 2 >> 3 < 4
$d = 'x' =~ /y/ and 'z' !~ Integer
$e = 'k' in { k => 1 }
$f = -$a + (-1)
[$g, $h] = [1, 2]
$i = $a ? { 1 => 'one', /2/ => 'two', default => 'many' }
$j = $a[0][1, 2]
