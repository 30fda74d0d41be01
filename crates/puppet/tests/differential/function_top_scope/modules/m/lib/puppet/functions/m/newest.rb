# Uses what is there without a `require`.
Puppet::Functions.create_function(:'m::newest') do
  def newest(versions)
    versions.max_by { |version| Gem::Version.new(version) }
  end
end
