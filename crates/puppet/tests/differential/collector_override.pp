notify { 'a': message => 'first' }
Notify <| title == 'a' |> { message => 'overridden', tag +> 'x' }
