class single(
  String $a,
  Optional[Integer] $b = 1,
  $c=2
){}
class columns (
  String            $a,
  Optional[Integer] $b   = 1,
  Array[String] $long_name = [],
  Struct[{
    'a' => String,
  }] $c = {},
) {}
function f(
  String $a,
  Integer *$rest ) >> Integer {
  1
}
class empty (
) {
}
$list.each |Integer *$all| { notice($all) }
