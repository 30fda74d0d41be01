function f(Variant[Init[Undef], Integer] $x) { $x }
notice(f(1))
