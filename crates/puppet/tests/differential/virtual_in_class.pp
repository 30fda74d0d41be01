class people { @user { 'anna': tag => 'staff' } }
include people
User <| tag == staff |>
