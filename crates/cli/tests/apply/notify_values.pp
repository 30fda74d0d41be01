notify { 'n': message => 5 }
notify { 'list': message => ['a', 'b'] }
notify { 'named': name => 'other name' }
