module Puppet::Parser::Functions
  newfunction(:sweep, :arity => 1) do |args|
    function_create_resources(['notify', { args[0] => { 'message' => 'swept' } }])
    warning('swept it')
  end
end
