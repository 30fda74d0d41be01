# Functions of the older kind have lists and hashes of their own, but read the scope.
module Puppet::Parser::Functions
  newfunction(:shed_old, type: :rvalue) do |args|
    args[0]['mine'] = 1
    args[0]['box'] << 'mine'
    lookupvar('opts').delete('old')
    self['opts']['new'] = call_function('shed::push', [lookupvar('seen'), 'old kind']).size
    refused = begin
      lookupvar('facts').clear
    rescue FrozenError => e
      e.class.name
    end
    [args[0], lookupvar('opts'), refused]
  end
end
