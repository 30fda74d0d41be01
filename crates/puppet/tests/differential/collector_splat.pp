@notify { 'x': tag => 'one' }
@notify { 'y': tag => 'two' }
Notify <| title == 'x' or (tag == two and title != 'z') |> { * => { message => 'found', withpath => true } }
