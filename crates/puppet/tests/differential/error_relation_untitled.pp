notify { 'a': }
File -> Notify['a']
