# From where the others are looked after.
class role::ops {
  contain profile::base
  contain profile::operators
  contain profile::network
  contain profile::strict_limits

  Profile::Operator <| |>
}
