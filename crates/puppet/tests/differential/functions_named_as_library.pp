function fact(Integer $n) { if $n < 2 { 1 } else { $n * fact($n - 1) } }
notify { "${fact(10)}": }
