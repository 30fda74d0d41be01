define d($p) { notify { "${title} ${p}": } }
create_resources('d', { 'x' => { 'p' => 1 }, 'y' => { 'p' => 2 } })
class c($q) { notify { "q ${q}": } }
create_resources('class', { 'c' => { 'q' => 3 } })
