# Whether two values are one.
Puppet::Functions.create_function(:'m::far_same') do
  def far_same(one, other)
    ObjectSpace.count_objects
    one.equal?(other)
  end
end
