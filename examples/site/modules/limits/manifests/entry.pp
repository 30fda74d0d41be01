# One limit.
define limits::entry (
  Integer[1] $value,
) {
  file { "/etc/security/limits.d/${name}.conf":
    content => "* hard ${name} ${value}\n",
    mode    => '0644',
  }
}
