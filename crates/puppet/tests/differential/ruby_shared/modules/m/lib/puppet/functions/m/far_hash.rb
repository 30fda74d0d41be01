# A hash that stands at several places.
Puppet::Functions.create_function(:'m::far_hash') do
  def far_hash(value)
    ObjectSpace.count_objects
    inner = { 'a' => value }
    { 'x' => inner, 'y' => [inner, { 'k' => inner }], 'l' => value, [value, 1] => 1, 'm' => [value] }
  end
end
