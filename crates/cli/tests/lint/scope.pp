define scope::a($one, $two = $three, Array $list = []) {
  $four = $one + $five
  [$six, $seven] = [$two, $unknown]
  $list.each |$index, $value| {
    notice("${index} $value ${other} ${facts['os']} $::top $name $title")
    $value.each |$deep = $six| { notice($deep) }
  }
  notice($index, $1, $x['a'], $facts['a'], $trusted['b']['c'], $eight[0])
  $hash['key'] = 1
  $x::y = 2
}

class scope::b {
  notice($one, $list)
  $a = $b ? { 'x' => $c }
  with(1) |$p| { with(2) |$q| {
      notice($p, $q)
  } }
  notice($q)
}
