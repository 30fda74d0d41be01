notify { 'a': }
Notify <| |> { tag => 'x', tag +> 'y' }
