Notify <| tag == 'late' |> { withpath => true }
define d { @notify { "late ${title}": tag => 'late' } }
d { 'x': }
