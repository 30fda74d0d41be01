# One setting of the application.
define profile::setting (
  String[1] $value,
) {
  file { "/srv/app/conf.d/${name}":
    content => "${name} = ${value}\n",
    owner   => 'ada',
    group   => 'staff-web',
    mode    => '0640',
  }
}
