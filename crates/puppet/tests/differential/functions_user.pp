function add(Integer $a, Integer $b = 2, Integer *$rest) >> Integer { $rest.reduce($a + $b) |$m, $x| { $m + $x } }
notify { "${add(1)} ${add(1, 1)} ${add(1, 1, 1, 1)} ${5.add(5)}": }
