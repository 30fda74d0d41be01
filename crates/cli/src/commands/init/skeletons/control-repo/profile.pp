# The settings of all nodes.
#
# @param message The message that is shown at login.
class profile::base (
  String[1] $message,
) {
  file { '/etc/motd':
    ensure  => file,
    content => "${message}\n",
    mode    => '0644',
  }
}
