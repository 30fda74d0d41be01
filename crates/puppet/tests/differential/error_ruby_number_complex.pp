# Site: ruby_numbers
notice(n::num('i') < 1)
