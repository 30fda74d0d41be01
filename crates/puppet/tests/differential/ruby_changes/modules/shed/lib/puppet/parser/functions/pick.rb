module Puppet::Parser::Functions
  newfunction(:pick, type: :rvalue, doc: 'The first that is something.') do |args|
    args.find { |arg| !['', :undef, nil].include?(arg) } or raise(Puppet::ParseError, 'pick(): nothing')
  end
end
