Nothing <| |>
