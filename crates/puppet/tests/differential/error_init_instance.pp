notify { 'a': message => 1 =~ Init[Any] }
