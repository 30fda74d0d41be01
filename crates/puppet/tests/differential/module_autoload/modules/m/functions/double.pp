function m::double(Integer $x) { $x * 2 }
