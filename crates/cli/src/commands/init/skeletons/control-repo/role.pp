# The role of a node without another one.
class role::base {
  include profile::base
}
