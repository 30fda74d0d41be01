function maybe(Integer $x) >> Optional[String] { 'a' }
class takes(String $n, Array $list) { notify { 'n': message => $n } }
class { 'takes': n => Deferred('maybe', [1]), list => Deferred('epp', ['m/x.epp']) }
