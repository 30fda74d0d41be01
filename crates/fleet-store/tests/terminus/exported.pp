class web {
  @@file { '/etc/monitor/web': content => 'web', tag => 'monitor' }
  @@host_entry { 'web': address => '192.0.2.1' }
  @@notify { 'collected': }
  @user { 'virtual': }
  @user { 'realized': }
  realize User['realized']
  Notify <<| title == 'collected' |>>
}
define host_entry($address) {
  notify { "host ${title}": }
}
include web
