class many { file { ['/w/a', '/w/b']: content => 'x' } exec { '/bin/true': } }
class heard { exec { '/bin/echo a': refreshonly => true } exec { '/bin/echo b': refreshonly => true } }
include many, heard
Class['many'] ~> Class['heard']
