class a(Integer $x = 1, String $y) inherits b {
  class inner { }
}
define a::d($t = $title) { notice($t) }
function a::f(Integer $n, *$rest) >> Integer { $n + 1 }
node 'web1', /^db\d+$/, default { include a }
type A::Port = Integer[1, 65535]
type A::Map = Hash[String, Variant[Integer, Array[A::Map]]]
