notify { 'a': }
Notify['a'] { tag => 'not/one' }
