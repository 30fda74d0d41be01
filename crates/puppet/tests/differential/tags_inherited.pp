class a::b { tag 'extra'  notify { 'n': tag => 'own' } }
include a::b
