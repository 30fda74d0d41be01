notify { 'a': }
Notify <| message == upcase('a') |>
