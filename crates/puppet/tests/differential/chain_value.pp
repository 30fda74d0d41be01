notify { ['a', 'b', 'c']: }
$last = if true { Notify['a'] -> Notify['b', 'c'] }
notice($last)
$many = [Notify['a'], Notify['b'], Notify['a']] ~> Notify['c']
notice(Notify['a'] -> [] -> Notify['c'])
