# A web server, as far as a root directory without a network can be one.
class role::web {
  include profile::base
  include profile::people
  include profile::network
  include profile::jobs
  include profile::app
}
