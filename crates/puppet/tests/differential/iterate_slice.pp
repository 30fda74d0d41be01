slice([1, 2, 3, 4, 5], 2) |$p| { notify { "${p}": } }
$x = [1, 2, 3, 4].slice(2)
notify { "all ${x}": }
