define d($p, $q = "${p}-${title}") { notify { "${name} ${p} ${q}": } }
d { 'one': p => 1 }
d { ['two', 'three']: p => 2, q => 'q' }
