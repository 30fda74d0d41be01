notify { 'a': }
Notify['a'] { message => 1, message => 2 }
