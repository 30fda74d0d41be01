@notify { 'a': withpath => true, message => 'm' }
@notify { 'b': withpath => false, message => 'm' }
Notify <| (withpath == true or title == 'x') and message == 'm' |>
