$nested = [['a', ['b']], 'c']
notify { $nested: }
notify { []: message => 'none' }
