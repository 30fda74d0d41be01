@file { ['/a', '/b', '/c']: }
File <| title != '/b' |>
