require_relative '../../../puppet_x/garden/names'
# Every kind of parameter.
Puppet::Functions.create_function(:'garden::plant') do
  local_types do
    type 'Count = Integer[1, 99]'
    type 'Row = Struct[{count => Count, Optional[note] => String}]'
  end
  dispatch :in_rows do
    param 'Row', :row
    optional_param 'Hash[String, Any]', :options
    optional_block_param 'Callable[2, 2]', :block
    return_type 'Array'
  end
  dispatch :by_name do
    required_repeated_param 'String[1]', :names
  end
  argument_mismatch :no_number do
    param 'Numeric', :number
  end

  def in_rows(row, options = {}, &block)
    plants = (1..row['count']).map { |n| "plant #{n}" }
    plants = plants.each_with_index.map { |plant, i| yield(plant, i) } if block
    [plants, options.keys, options.values.map(&:class).map(&:to_s), row['note']]
  end

  def by_name(*names)
    { 'names' => names.map { |name| PuppetX::Garden.proper(name) }, 'sorted' => call_function('sort', names) }
  end

  def no_number(number)
    "cannot plant the number #{number}"
  end
end
