$late = 3
class c($early = $late, $late = 1) { }
include c
