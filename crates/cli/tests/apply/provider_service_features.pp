# differs: log: a warning names what is not managed
service { 'peer':
  ensure => running, provider => base, enable => true, flags => '-x', timeout => 10, logonaccount => 'a', logonpassword => 'b',
  control => 'c', manifest => 'm', start => '/usr/bin/touch /w/up', status => '/usr/bin/test -e /w/up',
}
