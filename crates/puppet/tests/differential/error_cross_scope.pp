class c { $other::x = 1 }
