# A list in which each list stands twice.
Puppet::Functions.create_function(:'m::far_share') do
  def far_share(levels)
    ObjectSpace.count_objects
    list = ['x']
    levels.times { list = [list, list] }
    list
  end
end
