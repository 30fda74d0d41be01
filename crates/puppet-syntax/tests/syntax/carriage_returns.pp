$x = "a
  b"
$y = @(E)
  text
  | E
