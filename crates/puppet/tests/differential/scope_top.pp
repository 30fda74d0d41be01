$a = 1
class c { notify { "top ${a} ${::a}": } }
include c
