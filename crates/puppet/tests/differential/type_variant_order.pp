# Ranges in a variant keep their order where none is put together with another.
type R = Variant[Default, Integer[2, 2], Integer[8, 8]]
type S = Variant[Integer[1, 1], Integer[3, 3], Integer[2, 2], String]
type T = Variant[R, Float[5.0, 6.0], Float[1.0, 2.0]]
type U = Optional[Variant[Integer[9, 9], Integer[1, 1]]]
type V = Variant[Integer[9, 9], Integer[1, 1], Undef, Optional[String]]
notice(R, S, T, U, V)
notice(type([{ 'a' => 1, 'b' => 7 }, [3, 1, 2]]))
