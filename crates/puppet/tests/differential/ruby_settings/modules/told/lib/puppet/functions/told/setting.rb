# What Ruby is told of a setting, in all the ways of asking.
Puppet::Functions.create_function(:'told::setting') do
  dispatch :told do
    param 'String', :name
  end

  def told(name)
    key = name.to_sym
    asked = [Puppet[key], Puppet.settings[key], Puppet.settings.value(key), Puppet.settings.include?(key),
             Puppet.settings.setting(key).nil?, closure_scope.lookupvar("settings::#{name}")]
    asked.map { |value| "#{value.class} #{value}" }.join(', ')
  end
end
