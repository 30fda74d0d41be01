# Site: ruby_numbers
notice(Timespan(5) + n::num('half'))
