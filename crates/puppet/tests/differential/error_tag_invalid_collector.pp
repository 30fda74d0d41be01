notify { 'a': }
Notify <| |> { tag => 'not/one' }
