# A setting that code changes is changed for that code.
Puppet::Functions.create_function(:'told::changed') do
  dispatch :changed do
  end

  def changed
    before = Puppet[:http_debug]
    Puppet[:http_debug] = true
    after = Puppet[:http_debug]
    Puppet[:http_debug] = before
    names = Puppet.settings.to_enum(:each_key).to_a
    "#{before} #{after} #{names.include?(:certname)} #{names.include?(:no_such_setting)}"
  end
end
