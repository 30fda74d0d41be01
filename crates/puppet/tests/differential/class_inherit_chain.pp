class a($p = 1) { notify { "a ${p}": } }
class b($p = 2) inherits a { notify { "b ${p}": } }
class c inherits b { notify { "c ${p}": } }
include c
