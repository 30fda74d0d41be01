# Site: garden
$a = 1
$b = count_leaves("x")
