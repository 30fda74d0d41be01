# A value that is the default in any scope around may be set again; one that is set does not yield to
# a default.
Notify { message => 'top' }
Exec { timeout => 1 }
class base {
  Notify { message => 'near' }
  notify { 'a': message => 'top' }
  notify { 'b': }
  notify { 'c': message => 'own' }
  exec { '/bin/d': timeout => 5 }
  Notify['a'] { message => 'other' }
}
class derived inherits base {
  Notify['b'] { message => 'mine' }
  Notify['c'] { message => 'top' }
  Exec['/bin/d'] { timeout => 1.0 }
}
include derived
