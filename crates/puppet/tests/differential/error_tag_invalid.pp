notify { 'a': tag => ['x', 'A/b'] }
