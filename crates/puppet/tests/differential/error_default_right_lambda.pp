$late = 3
with(1) |$i, $early = $late, $late = 1| { }
