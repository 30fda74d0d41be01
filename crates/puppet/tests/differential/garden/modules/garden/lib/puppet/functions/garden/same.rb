Puppet::Functions.create_function(:'garden::same') do
  dispatch :same do
    param 'Any', :value
  end

  def same(value)
    value
  end
end
