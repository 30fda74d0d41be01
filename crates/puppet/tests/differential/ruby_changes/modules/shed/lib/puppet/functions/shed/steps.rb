# Changes a hash before, while and after it calls others.
Puppet::Functions.create_function(:'shed::steps') do
  dispatch :steps do
    param 'Hash', :value
    param 'Array', :list
    block_param
  end

  def steps(value, list)
    value.delete('old')
    first = yield(value, 1)
    list << 'two'
    second = yield(value, 2)
    back = call_function('shed::push', list, 'three')
    third = call_function('then', list) { |same| [same.equal?(list), same.size] }
    value['box'] = list
    yield(value, 3)
    list << 'four'
    [first.equal?(value), second.size, back.equal?(list), third]
  end
end
