@file { default: mode => '0600'; '/a': ; '/b': }
File <| title == '/b' |>
