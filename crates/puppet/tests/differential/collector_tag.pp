@notify { 'a': tag => ['red', 'big'] }
@notify { 'b': tag => 'red' }
Notify <| tag == 'red' and tag == 'big' |>
