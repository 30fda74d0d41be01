@file { '/a': }
exec { '/bin/true': }
notify { 'end': }
File <| |> ~> Exec['/bin/true'] -> Notify <| title == 'end' |>
