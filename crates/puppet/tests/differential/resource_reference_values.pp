notify { 'a': }
notify { 'b': message => Notify['a'], require => [Notify['a']] }
