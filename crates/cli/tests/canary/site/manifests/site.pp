# What is secret here comes from data, so that no excerpt of this text can show it.
class app (
  String            $opened,
  Sensitive[String] $password,
  Sensitive[String] $path,
  Sensitive[String] $other_path,
  Sensitive[String] $directory,
  Sensitive[String] $target,
  Sensitive[String] $command,
  Sensitive[Array]  $environment,
  Sensitive[Hash]   $settings,
) {
  file { '/srv': ensure => directory }
  file { '/srv/password': content => Sensitive("password = ${password.unwrap}\n"), mode => '0640' }
  file { '/srv/plain': content => $password }
  file { '/srv/opened': content => "password = ${opened}\n" }
  file { '/srv/template': content => epp('app/conf.epp', { 'password' => $password }) }
  file { 'by path': path => $path, content => "nothing\n" }
  file { 'by other path': path => $other_path, content => "nothing\n" }
  file { 'directory': ensure => directory, path => $directory }
  file { 'in it': path => Sensitive("${directory.unwrap}/file"), content => "nothing\n" }
  file { '/srv/link': ensure => $target }
  file { '/srv/target': ensure => link, target => $target }
  file { '/srv/after': content => "x\n", require => File['by path'], owner => Sensitive('0') }
  exec { 'by command': command => $command, provider => shell, logoutput => true }
  exec { 'with environment': command => '/bin/echo $TOKEN', environment => $environment, provider => shell, logoutput => true }
  notify { 'told': message => $password }
  notify { 'opened': message => "it is ${opened}" }
  host { 'db': ip => '10.0.0.5', comment => $password }
  @@host { 'exported': ip => '10.0.0.6', comment => $password }
  app::part { 'part': settings => $settings }
  notice($password)
  notice("it is ${opened}")
  warning(String($password))
}

define app::part (Sensitive[Hash] $settings) {
  file { "/srv/${name}": content => Sensitive(String($settings.unwrap)) }
}

include app
