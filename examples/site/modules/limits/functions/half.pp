# Half of a number, and at least one.
function limits::half(Integer[1] $value) >> Integer[1] {
  max($value / 2, 1)
}
