define d { notify { "${title} sees ${v}": } }
class c { $v = 'class'  d { 'one': } }
$v = 'top'
include c
