# What is shared has an anchor.
Puppet::Functions.create_function(:'m::yaml') do
  def yaml(*values)
    values.to_yaml
  end
end
