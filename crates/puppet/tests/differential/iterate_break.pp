[1, 2, 3].each |$x| { if $x == 2 { break() }  notify { "${x}": } }
$r = [1, 2, 3].map |$x| { if $x == 2 { next('two') }  $x }
notify { "next ${r}": }
