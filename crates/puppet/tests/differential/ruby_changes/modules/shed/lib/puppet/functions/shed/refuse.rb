# What may not be changed says so.
Puppet::Functions.create_function(:'shed::refuse') do
  def refuse(value)
    value['os'] = 1
    'changed'
  rescue FrozenError => e
    e.class.name
  end
end
