$want = 'b'
@notify { ['a', 'b']: }
Notify <| title == $want |>
