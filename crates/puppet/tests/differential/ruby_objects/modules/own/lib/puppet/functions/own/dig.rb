Puppet::Functions.create_function(:'own::dig') do
  dispatch :dig do
    param 'Array[String[1]]', :segments
    param 'Hash[String, Any]', :options
    param 'Puppet::LookupContext', :context
    return_type 'Puppet::LookupValue'
  end

  def dig(segments, _options, context)
    case segments.first
    when 'odd' then :oops
    when 'odd_inside' then { 'a' => :oops }
    when 'raised' then raise 'a fault'
    when 'raised_by_puppet' then raise Puppet::Error, 'a fault of its own'
    else context.not_found
    end
  end
end
