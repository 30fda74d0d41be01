class odd {
  file { 'a': mode => '1'
