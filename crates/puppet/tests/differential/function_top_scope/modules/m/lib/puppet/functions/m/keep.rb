Puppet::Functions.create_function(:'m::keep') do
  def keep(name, value)
    closure_scope[name] = value
  end
end
