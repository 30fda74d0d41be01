notify { 'a': }
Notify <| tag == ['a'] |>
