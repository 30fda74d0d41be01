# Whether two values are one, and the first in a new list.
Puppet::Functions.create_function(:'shed::same') do
  def same(one, other)
    [one.equal?(other), [one]]
  end
end
