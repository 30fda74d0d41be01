class inner { file { '/inner': } }
class outer { File { owner => 'web' }  file { '/outer': }  include inner }
include outer
