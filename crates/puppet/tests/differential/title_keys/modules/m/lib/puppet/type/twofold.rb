Puppet::Type.newtype(:twofold) do
  newparam(:name)
  newparam(:coast, namevar: true)
end
