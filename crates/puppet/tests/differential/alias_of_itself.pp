# An alias adds nothing as an alternative of itself.
type One = Variant[One, String]
type Two = Variant[Array[Two], Two, Variant[Two, Float]]
notice(One, Two, One == String, One >= String, [1.5] =~ Two, 1 =~ Two)
function f(Two $x) { }
