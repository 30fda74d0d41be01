# Each resource has an attribute whose value is secret and wrong.
class broken (Sensitive[String] $word) {
  $path = Sensitive("/${word.unwrap}/${word.unwrap}")
  $file = { content => "x\n" }
  file { '/srv/a': mode => $word, * => $file }
  file { '/srv/b': owner => $word, * => $file }
  file { '/srv/c': group => $word, * => $file }
  file { '/srv/d': source => $path }
  file { '/srv/e': source => Sensitive("puppet:///modules/app/${word.unwrap}") }
  file { '/srv/f': source => Sensitive("http://127.0.0.1:9/${word.unwrap}") }
  file { '/srv/g': source => Sensitive("gopher://${word.unwrap}") }
  file { 'h': path => $word, * => $file }
  file { '/srv/k': validate_cmd => Sensitive("/bin/sh -c 'echo ${word.unwrap}; exit 3' %"), * => $file }
  file { '/srv/l': checksum => $word, * => $file }
  file { '/srv/m': backup => $word, * => $file }
  file { '/srv/n': recurse => $word, * => $file }
  file { '/srv/o': loglevel => $word, * => $file }
  file { '/srv/p': schedule => $word, * => $file }
  file { '/srv/q': ensure => Sensitive("${word.unwrap}/x") }
  exec { 'a': command => $word }
  exec { 'b': command => $path }
  exec { 'c': command => $word, path => '/bin' }
  exec { 'd': command => $word, provider => shell }
  exec { 'e': command => '/bin/true', user => $word }
  exec { 'f': command => '/bin/true', cwd => $path }
  exec { 'g': command => '/bin/true', creates => $word }
  exec { 'h': command => '/bin/true', onlyif => $path }
  exec { 'i': command => '/bin/true', unless => $word }
  exec { 'k': command => '/bin/true', environment => $word }
  exec { 'l': command => '/bin/true', timeout => $word }
  exec { 'm': command => '/bin/true', returns => $word }
  exec { 'n': command => '/bin/true', umask => $word }
  host { 'a': ip => $word }
  host { 'b': ip => '10.0.0.1', host_aliases => Sensitive(["${word.unwrap} x"]) }
  cron { 'a': command => '/bin/true', hour => $word }
  cron { 'b': command => '/bin/true', user => $word }
  mount { '/srv/mount': ensure => $word }
  package { 'a': ensure => $word, provider => 'dpkg' }
  package { 'b': provider => $word }
  service { 'a': ensure => $word }
  service { 'b': ensure => running, provider => 'init', path => $path }
  user { 'a': ensure => present, uid => $word }
  user { 'b': ensure => present, shell => $path }
  user { 'c': ensure => present, expiry => $word }
  group { 'a': gid => $word }
  ssh_authorized_key { 'a': user => $word, type => 'ssh-rsa', key => 'AAAA' }
  ssh_authorized_key { 'b': user => 'root', type => $word, key => 'AAAA' }
  tidy { '/srv/tidy': age => $word }
  yumrepo { 'a': baseurl => $word }
}

include broken
