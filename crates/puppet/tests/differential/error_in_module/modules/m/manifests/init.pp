class m {
  $x = 1
  $x = 2
}
