notify { 'a': name => 65 }
notify { 'b': name => 65 }
