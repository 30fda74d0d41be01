Puppet::Functions.create_function(:'shed::push') do
  def push(list, *items)
    list.concat(items)
  end
end
