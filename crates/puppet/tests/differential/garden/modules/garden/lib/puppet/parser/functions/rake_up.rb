module Puppet::Parser::Functions
  newfunction(:rake_up, :type => :rvalue, :arity => -2, :doc => <<-DOC) do |args|
    Rakes.
    DOC
    Puppet::Parser::Functions.function(:count_leaves)
    [args.map(&:inspect), lookupvar('soil'), lookupvar('::soil'), self['soil'], lookupvar('garden::bed'),
     function_sprintf(['%03d', 7]), function_count_leaves([[1, 2, 3]]), resource.to_s, environment.to_s,
     findresource('Notify[there]')[:message], catalog.resource('Notify[not]').inspect, include?('soil'), exist?('sand')]
  end
end
