with('a', 2) |$x, Integer $y| { notify { "${x}${y}": } }
'z'.then |$v| { notify { "then ${v}": } }
$n = undef.lest || { 'lest' }
notify { $n: }
