# A catalog has names of parameters in small letters; of two that then are one the last counts.
define tuned($a, $aB, $ab, $zZ = 9) { }
tuned { 'x': ab => 1, a => 2, aB => 3 }
tuned { 'y': aB => 3, a => 2, ab => 1 }
class proxied($httpProxy = undef, $other = 1) { }
class { 'proxied': httpProxy => 'http://proxy' }
define keyed($fooBar) { }
keyed { 'x': fooBar => Sensitive('s') }
Tuned['x'] -> Keyed['x']
