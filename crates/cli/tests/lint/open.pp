class open {
  $x = "abc ${d} e
}
