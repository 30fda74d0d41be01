# Keeps the data.
class role::database {
  contain profile::base
  contain profile::operators
  contain profile::database

  Class['profile::base'] -> Class['profile::database']

  Profile::Operator <| groups == 'database' |>
}
