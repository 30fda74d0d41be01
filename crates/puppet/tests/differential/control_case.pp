$x = 'web01'
$r = case $x { 'db', 'none': { 'no' } /^web(\d+)/: { "web ${1}" } default: { 'default' } }
notify { $r: }
