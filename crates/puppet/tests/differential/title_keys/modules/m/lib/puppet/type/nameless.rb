Puppet::Type.newtype(:nameless) do
  newparam(:coast)
end
