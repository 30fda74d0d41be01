# What types are made of.
Puppet::Functions.create_function(:'garden::inside') do
  dispatch(:inside) { param 'Type', :type }

  def inside(type)
    type = type.resolved_type if type.is_a?(Puppet::Pops::Types::PTypeAliasType)
    case type
    when Puppet::Pops::Types::PEnumType then type.values + type.each.map(&:upcase)
    when Puppet::Pops::Types::PIntegerType then [type.from, type.to]
    when Puppet::Pops::Types::PVariantType then type.types.map { |one| inside(one) }
    when Puppet::Pops::Types::PArrayType then inside(type.element_type)
    when Puppet::Pops::Types::PHashType then [inside(type.key_type), inside(type.value_type)]
    when Puppet::Pops::Types::POptionalType then [inside(type.type), type.optional_type.to_s]
    else type.to_s
    end
  end
end
