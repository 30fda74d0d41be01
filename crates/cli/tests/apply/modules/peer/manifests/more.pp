# Another class of the module.
class peer::more {
  file { '/w/more': content => 'x' }
}
