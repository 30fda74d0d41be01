# The types that functions declare for their results decide whether a deferred call fits a parameter.
function number(Integer $x) >> Integer[1, 2] { 1 }
function anything(Integer $x) { 1 }
function whatever(Integer $x) >> Any { 1 }
define takes(Integer[5] $n, Any $x = 1, Array $list = []) { notify { $title: message => $n } }
takes { 'one': n => Deferred('number', [1]), x => Deferred('number', [1]) }
takes { 'two': n => Deferred('anything', [1]), list => Deferred('anything', [1]) }
takes { 'three': n => Deferred('whatever', [1]), list => [Deferred('upcase', ['a'])] }
takes { 'four': n => Deferred('abs', [1]), list => Deferred('upcase', ['a']) }
