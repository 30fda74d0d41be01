[$a,
  $b] =
  Class[nope]
