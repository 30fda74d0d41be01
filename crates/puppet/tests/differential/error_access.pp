$x = 1['a']
$y = undef['a']
