class Apache::Vhost-x inherits other::params {
}

# documented
class apache::a(
  Optional[String] $o,
  String $a = 'x',
  String $b,
  $c = [1, 2],
  Hash[String, Integer] $d,
  Enum['a', 'b'] $e = 'a'
) inherits apache::params {
  class inner { }
  define inner2($x) { }
  class { 'other': }
}

# far away


define apache::d($a) {
  Foo['a'] ->
  Bar['b']
  Foo['a'] ~> # comment
  Bar['b'] <- Baz['c']
}

node web1.example.org, default, 'quoted' {
  case $x {
    'a': { }
    'b': {
      case $y {
        default: { }
      }
    }
  }
  case $z { 1: { } default: { } }
}
include top
