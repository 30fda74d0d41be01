notify { 'x': message => lookup('copy') }
notify { 'y': message => lookup('nested') }
