define d($x = $tag, $y = "is ${noop}") { notify { "${x} ${y}": } }
class c($z = $noop) { notify { "c ${z}": } }
d { 'a': tag => 't', noop => false }
class { 'c': noop => true }
