# Site: ruby_numbers
notice(n::num('time') < n::num('time'))
