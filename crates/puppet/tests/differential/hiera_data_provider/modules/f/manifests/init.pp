class f($a = 'default', $b = 'default') { notify { "f $a $b": } }
