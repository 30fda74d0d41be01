notify { 'a': message => [1, [2]].tree_each }
