define d { notify { "made ${title}": } }
@d { 'a': }
@d { 'b': }
D <| title == 'a' |>
