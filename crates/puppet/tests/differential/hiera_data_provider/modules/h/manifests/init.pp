class h($a = 'default', $b = 'default') { notify { "h $a $b": } }
