notify { 'n': message => inline_template('<%= raise "no luck" %>') }
