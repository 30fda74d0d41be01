$a = [1, [2, undef]]
$h = { 'k' => { 'n' => 'v' } }
notify { "${a[0]} ${h['k']['n']} ${a} ${h} ${1 + 2} ${$h['k'].keys} ${undef}.": }
