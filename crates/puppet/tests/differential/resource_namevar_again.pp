notify { 'a': name => 'a', message => Sensitive(['x', Sensitive('y')]) }
exec { '/bin/true': command => '/bin/true' }
