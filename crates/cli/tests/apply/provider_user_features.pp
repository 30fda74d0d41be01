# differs: log: a warning names what is not managed
user { 'ada':
  ensure => present, uid => 4001, salt => 'x', iterations => 5, attributes => ['a=b'], roles => ['r'], loginclass => 'l',
  project => 'p', keys => { 'a' => 'b' }, ia_load_module => 'files', profiles => ['x'], auths => ['y'], shell => '/bin/sh',
}
