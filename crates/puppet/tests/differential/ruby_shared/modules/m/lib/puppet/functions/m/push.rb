# Changes its argument in place.
Puppet::Functions.create_function(:'m::push') do
  def push(list, item)
    list << item
    list
  end
end
