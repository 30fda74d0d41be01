$r = [1, [2, { 'a' => 3 }]].tree_each.map |$p| { "${p[0]}" }
notify { "${r}": }
