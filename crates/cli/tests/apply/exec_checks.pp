# setup: touch /w/there
exec {
  default: path => '/bin:/usr/bin', command => 'echo hi >> /w/log';
  'creates': creates => '/w/there';
  'creates list': creates => ['/w/not', '/w/there'];
  'creates missing': command => 'touch /w/made', creates => '/w/made';
  'unless true': unless => 'true';
  'unless false': command => 'echo unless >> /w/log', unless => 'false';
  'unless list': unless => ['false', 'true'];
  'onlyif true': command => 'echo onlyif >> /w/log', onlyif => 'true';
  'onlyif false': onlyif => 'false';
  'onlyif list': onlyif => ['true', 'false'];
  'onlyif words': command => 'echo words >> /w/log', onlyif => [['test', '-e', '/w/there']];
  'not found': command => 'echo nf >> /w/log', unless => '/no/such/check';
}
