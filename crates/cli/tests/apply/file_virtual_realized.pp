@file { '/w/a': content => 'a' }
@file { '/w/b': content => 'b' }
realize(File['/w/b'])
