Resource['file'] { '/a': mode => '0600' }
File { '/b': }
$t = 'notify'
Resource[$t] { 'n': }
