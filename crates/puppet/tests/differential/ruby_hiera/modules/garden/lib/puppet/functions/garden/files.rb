Puppet::Functions.create_function(:'garden::files') do
  dispatch :files do
    param 'Struct[{path=>String[1]}]', :options
    param 'Puppet::LookupContext', :context
  end

  def files(options, context)
    context.cached_file_data(options['path']) do |text|
      text.lines.map { |line| line.chomp.split('=') }.to_h
    end
  end
end
