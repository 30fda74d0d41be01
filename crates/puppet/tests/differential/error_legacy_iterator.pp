@notify { 'a': }
realize([Notify['a']].reverse_each)
