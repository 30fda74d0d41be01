notify { 'b': }
notify { 'a': name => ['b'] }
