type A = B
type B = A
$x = 1 =~ A
