define d($p = 'plain') { notify { "${title} ${p}": } }
D { p => 'defaulted' }
d { 'a': }
d { 'b': p => 'given' }
