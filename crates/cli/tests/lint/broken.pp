class broken {
  $x = ~
}
