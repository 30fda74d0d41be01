# Takes a key out of all hashes in a value.
Puppet::Functions.create_function(:'shed::prune') do
  dispatch :prune do
    param 'Any', :value
    optional_param 'String', :key
  end

  def prune(value, key = 'old')
    case value
    when Hash
      value.delete(key)
      value.each_value { |item| prune(item, key) }
    when Array then value.each { |item| prune(item, key) }
    end
    value
  end
end
