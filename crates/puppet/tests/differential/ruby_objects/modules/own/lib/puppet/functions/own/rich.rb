# Gives what it promises not to give.
Puppet::Functions.create_function(:'own::rich') do
  dispatch :rich do
    param 'String', :kind
    return_type 'RichData'
  end

  def rich(kind)
    { 'match' => /b/.match('abc'), 'number' => Rational(1, 3), 'list' => [1, :a] }[kind]
  end
end
