# The same, but less.
class profile::strict_limits inherits profile::limits {
  Limits::Entry['processes'] {
    value => limits::half(200),
  }
}
