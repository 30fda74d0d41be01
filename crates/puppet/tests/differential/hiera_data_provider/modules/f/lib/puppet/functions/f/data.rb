Puppet::Functions.create_function(:'f::data') do
  def data
    { 'f::a' => 'ruby function', 'f::b' => '%{facts.os.family}' }
  end
end
