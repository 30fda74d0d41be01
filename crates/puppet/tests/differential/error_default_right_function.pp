$late = 3
function f($early = $late, $late = 1) { }
f()
