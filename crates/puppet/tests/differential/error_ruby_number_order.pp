# Site: ruby_numbers
notice(1 < 2,
  n::num('half') < 'a')
