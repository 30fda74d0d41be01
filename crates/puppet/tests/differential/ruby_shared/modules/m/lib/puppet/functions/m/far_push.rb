# Changes its argument in place.
Puppet::Functions.create_function(:'m::far_push') do
  def far_push(list, item)
    ObjectSpace.count_objects
    list << item
    list
  end
end
