# Site: ruby_numbers
notice(n::num('half') / 0)
