if true { class a { } }
$a::b = 1
$0 = 2
1 2
$h = { a => 1, 'a' => 2 }
class B { }
define c($name, $noop = 1) { }
define d($tag) { }
file { 'x': mode +> 1 }
@class { 'e': }
$i = 99999999999999999999
case 1 { default: { } default: { } }
node 'a b' { }
