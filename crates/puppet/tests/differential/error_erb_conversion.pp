notify { 'n': message => inline_template('<%= Integer("x") %>') }
