Puppet::Type.newtype(:lagoon) do
  @doc = 'Water.'
  ensurable
  %w[depth fish].each { |name| newproperty(name) }
  newparam(:name) do
    desc 'Its name.'
    validate { |value| raise ArgumentError, 'no' if value == 'never' }
  end
  newparam(:place, namevar: true) do
    defaultto 'garden'
    munge(&:upcase)
  end
  autorequire(:file) { self[:place] }

  def self.title_patterns
    [
      [/\A(.+) in (.+)\z/, [[:name], [:place, ->(text) { text.upcase }]]],
      [/\A([a-z ]+)\z/, [[:name]]]
    ]
  end
end
