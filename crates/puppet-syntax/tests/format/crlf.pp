class crlf {
$x=1
  $y = @(E)
    text
    | E
}
