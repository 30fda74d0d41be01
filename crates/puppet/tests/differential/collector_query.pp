@user { 'anna': groups => ['web', 'db'], uid => 1 }
@user { 'bert': groups => ['db'], uid => 2 }
@user { 'carl': uid => 3 }
User <| groups == 'web' or uid == 3 |>
