{ 'a' => 1, 'b' => 2 }.each |$k, $v| { notify { "${k}=${v}": } }
['x', 'y'].each |$i, $v| { notify { "${i}:${v}": } }
'ab'.each |$c| { notify { "char ${c}": } }
