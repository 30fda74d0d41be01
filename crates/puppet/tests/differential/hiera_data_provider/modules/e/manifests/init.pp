class e($a = 'default', $b = 'default') { notify { "e $a $b": } }
