# A level whose function takes no arguments.
notify { lookup('envkey'): }
notify { lookup('h::b'): message => lookup('none', default_value => 'default') }
