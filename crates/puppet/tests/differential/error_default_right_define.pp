$late = 3
define d($early = "${late}", $late = 1) { }
d { 'x': }
