# Functions see what is at the top, and nothing of the block of the node.
node default {
  $own = 1
  notice(m::sees(), m::shows())
  m::keep('kept', 5)
  notice($kept, $::kept)
  include m
}
