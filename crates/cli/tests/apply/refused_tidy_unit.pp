file { '/w/a': content => 'a' }
tidy { '/srv': age => '100', recurse => true }
tidy { '/srv/b': size => '5000', recurse => true }
