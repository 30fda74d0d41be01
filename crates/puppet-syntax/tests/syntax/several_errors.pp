class a {
  $x = )
  $y = 1
}
class b {
  $z = ]
}
