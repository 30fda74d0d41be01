notify { ['a', 'c']: }
Notify['a'] -> File <| |> -> Notify['c']
