function make(String $n) { notify { "made by ${n}": } }
class c { make('c') }
include c
