Puppet::Type.newtype(:harbor) do
  newparam(:name) { isnamevar }
  newparam(:coast) { isnamevar }
end
