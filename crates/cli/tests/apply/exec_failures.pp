exec {
  default: path => '/bin:/usr/bin';
  'false': ;
  'output': command => 'echo out; echo err >&2; exit 3', provider => shell;
  'returns': command => 'exit 3', provider => shell, returns => 3;
  'returns list': command => 'exit 4', provider => shell, returns => [0, 4, '5'];
  'returns wrong': command => 'true', returns => 1;
  'missing': command => '/no/such/command';
  'unqualified missing': command => 'no-such-command';
  'directory': command => '/etc';
  'not executable': command => '/etc/passwd';
}
