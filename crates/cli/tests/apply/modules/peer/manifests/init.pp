# A class of a module.
class peer {
  file { '/w/peer': content => 'x' }
  include peer::more
}
