# Site: garden
$soil = 'clay'
notify { 'there': message => 'hello' }
include garden
notice(count_leaves([1, 2]))
