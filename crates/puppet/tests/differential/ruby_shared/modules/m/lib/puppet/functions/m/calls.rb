# Gives what it holds to functions and to a lambda.
Puppet::Functions.create_function(:'m::calls') do
  dispatch :calls do
    block_param
  end

  def calls
    ObjectSpace.count_objects
    list = [1]
    pushed = call_function('m::far_push', [list, list], 2)
    back = yield([list, { 'k' => list }], list)
    [call_function('m::far_same', list, list), pushed[0].equal?(list), back.equal?(list), back]
  end
end
