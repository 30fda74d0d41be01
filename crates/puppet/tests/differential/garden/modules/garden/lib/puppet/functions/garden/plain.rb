Puppet::Functions.create_function(:'garden::plain') do
  def plain(value, other = 'default', *more)
    [value.inspect, other, more.size]
  end
end
