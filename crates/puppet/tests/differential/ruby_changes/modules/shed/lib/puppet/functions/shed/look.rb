# Changes what it reads of scopes.
Puppet::Functions.create_function(:'shed::look', Puppet::Functions::InternalFunction) do
  dispatch :look do
    scope_param
    param 'String', :name
  end

  def look(scope, name)
    scope[name] << 'looked'
    closure_scope.lookupvar('seen') << name
    text = scope.lookupvar('text')
    text << '!' unless text.frozen?
    scope.to_hash['all']['n'] = scope['text'].size
    made = { 'a' => 1 }
    scope['made'] = made
    made['b'] = 2
    scope[name].equal?(scope.lookupvar(name))
  end
end
