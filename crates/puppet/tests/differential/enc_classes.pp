class a($p = 'default') { notify { "a ${p} ${param}": } }
class b { notify { 'b': } }
