File <| title =~ 'x' |>
