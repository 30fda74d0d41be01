Puppet::Parser::Functions.newfunction(:count_leaves, :type => :rvalue) do |args|
  raise Puppet::ParseError, "count_leaves(): takes a list, not #{args[0].class}" unless args[0].is_a?(Array)

  args[0].length
end
