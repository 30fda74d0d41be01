# Site: ruby_numbers
notice(n::num('half') * SemVer('1.0.0'))
