# The size of parameters stands in a catalog where it is written.
class c(
  $a = Callable[Callable[1]],
  $b = Callable[0, 0],
  $c = Callable[[], Integer],
  $d = Callable[1, 1],
  $e = Callable[0, 0, Callable],
  $f = Callable[String, Optional[Callable]],
  $g = Callable[Callable[0, 0]],
) { }
include c
