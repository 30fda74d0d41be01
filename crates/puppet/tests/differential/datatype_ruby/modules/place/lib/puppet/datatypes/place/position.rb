# A place on a map.
Puppet::DataTypes.create_type('Place::Position') do
  interface <<-PUPPET
    attributes => {
      x => Integer,
      y => { type => Integer, value => 7 },
    }
  PUPPET
end
