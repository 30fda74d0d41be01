Puppet::Functions.create_function(:'environment::data') do
  def data
    { 'envkey' => 'from env', 'h::b' => 'envb' }
  end
end
