# Puts one new list at two places of what it is given.
Puppet::Functions.create_function(:'m::grow') do
  def grow(hash, list)
    new = [[], { 'in' => 1 }]
    hash['new'] = new
    list << new << new[1]
    call_function('m::far_yaml', hash, list)
    new[1]['later'] = 2
    nil
  end
end
