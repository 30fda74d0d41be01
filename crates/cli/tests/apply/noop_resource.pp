file { '/w/a': content => "x\n", noop => true }
~> exec { '/bin/echo a >> /w/log': refreshonly => true }
file { '/w/b': content => "x\n" }
~> exec { '/bin/echo b >> /w/log': refreshonly => true, noop => true }
~> exec { '/bin/echo c >> /w/log': refreshonly => true }
exec { '/bin/echo d >> /w/log': refreshonly => true, subscribe => [File['/w/a'], File['/w/b']] }
