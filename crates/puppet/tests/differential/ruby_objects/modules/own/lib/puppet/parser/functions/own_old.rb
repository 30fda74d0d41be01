Puppet::Parser::Functions.newfunction(:own_old, type: :rvalue, arity: 0) do |_|
  [:a, { b: :c }, /b/.match('abc'), :undef]
end
