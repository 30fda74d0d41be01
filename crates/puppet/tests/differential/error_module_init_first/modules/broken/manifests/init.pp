class broken(
  Nothing::Like::It $x
) { }
