stage { 'last': }
Stage['main'] -> Stage['last']
class b { notify { 'b': } }
class a { include b }
class { 'a': stage => 'last' }
