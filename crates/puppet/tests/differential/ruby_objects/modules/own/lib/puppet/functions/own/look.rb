# What Ruby code sees of a value.
Puppet::Functions.create_function(:'own::look') do
  dispatch(:look) { param 'Any', :value }

  def look(value)
    "#{value.class} #{value.inspect}"
  end
end
