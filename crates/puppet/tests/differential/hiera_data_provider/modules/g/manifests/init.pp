class g($a = 'default', $b = 'default') { notify { "g $a $b": } }
