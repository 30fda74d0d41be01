file { '/w/a': content => 'a' }
tidy { '/srv': age => 'old', recurse => true }
