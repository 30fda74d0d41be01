function text(Integer $x) >> String { 'a' }
class takes(Integer $n) { notify { 'n': message => $n } }
class { 'takes': n => Deferred('text', [1]) }
