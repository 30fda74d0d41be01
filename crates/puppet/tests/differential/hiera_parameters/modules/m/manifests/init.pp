class m($a, Array $b, Hash $c, $text, $d = 'default') { notify { "${a} ${b} ${c} ${text} ${d}": } }
