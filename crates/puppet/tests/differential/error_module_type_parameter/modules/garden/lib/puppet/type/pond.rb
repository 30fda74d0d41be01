Puppet::Type.newtype(:pond) do
  @doc = 'A pond.'

  ensurable

  newparam(:place, namevar: true) do
    desc 'Where it is.'
  end

  newproperty :depth do
    desc 'How deep it is.'
  end
end
