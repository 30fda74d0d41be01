$sum = [1, 2, 3].reduce(10) |$memo, $x| { $memo + $x }
$h = { 'a' => 1, 'b' => 2 }.reduce |$memo, $e| { [$e[0], $e[1] + $memo[1]] }
notify { "${sum} ${h}": }
