# All that can be done to lists and hashes.
Puppet::Functions.create_function(:'shed::odd') do
  def odd(hash, list)
    list.sort!.reverse!.map! { |n| n * 2 }
    list << hash['r'] << nil << 1.5
    hash['first'] = hash.delete('first')
    hash[1] = hash['t']
    hash['d'] << :default
    hash['s'].unwrap.clear
    hash['l'].replace([hash['l'].dup])
    hash['e'].compact!
    nil
  end
end
