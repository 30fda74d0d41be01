# differs: log: the cover of a secret
notify { 'plain': }
notify { 'message': message => "two\nlines" }
notify { 'path': withpath => true, message => 'with path' }
notify { 'level': loglevel => 'warning' }
notify { 'quiet': loglevel => 'debug' }
notify { 'number': message => 42 }
notify { 'hidden': message => Sensitive('secret') }
