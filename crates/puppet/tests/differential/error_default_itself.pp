$x = 3
class c($x = $x) { }
include c
