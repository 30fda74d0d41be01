define d(Array[Integer] $a) { }
d { 'x': a => [1, 'b'] }
