Puppet::Functions.create_function(:'garden::dig') do
  def dig(segments, options, context)
    segments.first == 'three' ? { 'segments' => segments } : context.not_found
  end
end
