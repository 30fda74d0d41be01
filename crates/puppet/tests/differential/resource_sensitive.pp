notify { 's': message => Sensitive('secret') }
user { 'u': password => Sensitive('hash'), shell => '/bin/sh' }
