notify { 'a': }
Class['gone'] <- Notify <| title == 'nothing' |>
Notify['b'] -> File <| |> -> Notify['a']
