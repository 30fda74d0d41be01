notify { 'n': message => inline_template('<%= @nope.upcase %>') }
