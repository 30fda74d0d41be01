class c($x) { notify { 'a': }  if $x { return() }  notify { 'b': } }
class { 'c': x => true }
