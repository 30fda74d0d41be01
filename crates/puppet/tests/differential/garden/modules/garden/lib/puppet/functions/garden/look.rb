Puppet::Functions.create_function(:'garden::look', Puppet::Functions::InternalFunction) do
  dispatch :look do
    scope_param
    param 'String', :name
    optional_param 'Any', :rest
  end

  def look(scope, name, rest = nil)
    found = scope.catalog.resource('Notify', name)
    Puppet.notice("looks for #{name}")
    [scope[name] || 'nothing', scope.exist?(name), found && found[:message], found.to_s, found && found.tags.include?('notify'),
     closure_scope['facts'].class.to_s, rest.class.to_s, scope.compiler.environment.to_s,
     call_function('getvar', 'no::such', 'absent'), call_function('map', [1, 2]) { |n| n * 2 }]
  end
end
