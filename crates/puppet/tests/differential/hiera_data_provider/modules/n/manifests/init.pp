class n($a = 'default', $b = 'default') { notify { "n $a $b": } }
