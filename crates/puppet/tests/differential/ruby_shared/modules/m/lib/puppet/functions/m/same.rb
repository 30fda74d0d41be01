# Whether two values are one.
Puppet::Functions.create_function(:'m::same') do
  def same(one, other)
    one.equal?(other)
  end
end
