class a::b($one, String $two='x',
  Optional[Array[String]]   $three=undef)
inherits a::params
{

  if ! $one and ($two=='x' or
      $three) {
    include a , b
  }
  elsif $x { }
  else {

    notice( 'no' )

  }
  unless $one{fail("no ${one} of ${ $two.map |$x|{$x} }")}


  case $facts['os']['family']{
    'Debian','Ubuntu' : { $y=1 }
    /^Red/,
    default: {
      $y = 2 }
  }
  $a   = 1
  $abc = -2
  $b = $a*3-$abc%2

  $longer = 1
  $z = $one ? { 'a'=>1, default =>2 }
  $w = $two?{
    'a' => 1, 'bcd' => $x ? {
      default => 2
    }
  }
  $list.each|Integer $i,$v|{ notice($i) }
  $list
  .filter |$x| { $x > 1 }
    .map |$x| {
    $x+1
  }
  Package['a']->File['b'] ~>
  # why
  Service['c']
  Package['x'] ->
    File['y']
}
define d (){}
function f::g( $a )>>String{ "${a}" }
node 'a.example.org' , /^b/ { include c }
type T = Struct[{a=>String,Optional[b]=>Integer[1,
  10]}]
