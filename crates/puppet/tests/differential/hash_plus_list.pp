# A list of one hash is that hash; of several, they are keys and values in turn.
notify { 'one': message => String({ 'c' => 1 } + [{ 'c' => 2, 'd' => 3 }]) }
notify { 'none': message => String({ 'c' => 1 } + [{}]) }
notify { 'two': message => String({ 'c' => 1 } + [{ 'c' => 1 }, { 'd' => 2 }]) }
notify { 'pairs': message => String({ 'c' => 1 } + [['a', 2], ['b', 3]]) }
