function f($x) { $y = $x + 1  $y }
$y = 10
notify { "f ${f(1)} y ${y}": }
