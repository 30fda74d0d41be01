Puppet::Functions.create_function(:'garden::keys') do
  dispatch :keys do
    param 'Variant[String, Numeric]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end

  def keys(key, options, context)
    return context.cached_value(key) if context.cache_has_key(key)
    return context.not_found unless key == 'one'

    context.explain { 'it is there' }
    context.cache(key, context.interpolate("#{options['prefix']} %{facts.os.family} #{context.environment_name.class}"))
  end
end
