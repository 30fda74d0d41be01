function factorial(Integer $n) { if $n < 2 { 1 } else { $n * factorial($n - 1) } }
notify { "${factorial(10)}": }
