# resources
class resources {
  file { 'a':
    mode => 644,
    owner => root,
    ensure => present,
    mode => '0644',
  }
  file { ['a', b, c]:
    ensure => '/target',
    mode   => '644';
  'x':
    mode => "${m}",
    path => $x ? { 'a' => 'b', default => 'c' },
  }
  file { bare: mode => u+x }
  concat { 'b': mode => 'ug=rw,o=r' }
  exec { "run":
    command => 'x', cwd => '/',
    path =>
      '/bin',
    environment     => { 'a' => 1,
      'long' => 2, "b${c}" => 3 },
  }
  service { 'a': ensure => running; 'b': enable => true, ensure => stopped; }
  File { owner => 'root', mode => 0644 }
  $foo = { a => 1,
  bbb   => 2 }
  user { 'x':
    "a${b}c" => 1,
    long_name_here => 2,
    * => $rest,
  }
}
