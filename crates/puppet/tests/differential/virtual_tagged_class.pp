class people { @user { 'anna': } @user { 'bert': } }
include people
User <| tag == 'people' |>
