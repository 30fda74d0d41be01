define d { notify { "in ${title}": } notify { "tags ${title} ${tag}": } }
notify { 'n': }
d { 'x': require => Notify['n'], tag => 'mine' }
