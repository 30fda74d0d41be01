# A hash that stands at several places.
Puppet::Functions.create_function(:'m::hash') do
  def hash(value)
    inner = { 'a' => value }
    { 'x' => inner, 'y' => [inner, { 'k' => inner }], 'l' => value, [value, 1] => 1, 'm' => [value] }
  end
end
