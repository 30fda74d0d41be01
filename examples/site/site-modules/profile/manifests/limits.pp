# How much one user may take.
class profile::limits {
  limits::entry { 'files':
    value => 1024,
  }
  limits::entry { 'processes':
    value => 200,
  }
}
