class c(Integer $a, String $b = "b of ${a}", Optional[Boolean] $c = undef) { notify { "${a} ${b} ${c}.": } }
class { 'c': a => 3 }
