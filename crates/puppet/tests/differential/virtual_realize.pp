@notify { ['a', 'b', 'c']: }
realize Notify['a']
realize(Notify['b'], [Notify['c']])
