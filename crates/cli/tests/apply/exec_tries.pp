exec {
  default: path => '/bin:/usr/bin', provider => shell;
  'third time': command => 'echo x >> /w/log; test $(wc -l < /w/log) -ge 3', tries => 5;
  'never': command => 'echo y >> /w/more; false', tries => 2, try_sleep => 0.1;
}
