function f($a) { }
f(1, 2)
