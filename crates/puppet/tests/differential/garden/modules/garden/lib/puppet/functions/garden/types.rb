Puppet::Functions.create_function(:'garden::types') do
  dispatch :types do
    param 'Type', :type
    param 'Any', :value
  end

  def types(type, value)
    parsed = Puppet::Pops::Types::TypeParser.singleton.parse('Optional[Integer[1, 5]]')
    [type.instance?(value), type.to_s, Puppet::Pops::Types::TypeCalculator.infer(value).to_s, parsed.instance?(3),
     parsed.assignable?(type), Puppet::Pops::Types::TypeFactory.integer.to_s]
  end
end
