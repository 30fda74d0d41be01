Puppet::DataTypes.create_type('Bearing') do
  interface 'attributes => { degrees => Integer[0, 359] }'
end
