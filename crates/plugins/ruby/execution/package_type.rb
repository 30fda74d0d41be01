# The type `package`, for the providers that modules bring.
Puppet::Type.newtype(:package) do
  feature :reinstallable, 'Reinstalls.', methods: [:reinstall]
  feature :installable, 'Installs.', methods: [:install]
  feature :uninstallable, 'Uninstalls.', methods: [:uninstall]
  feature :upgradeable, 'Upgrades to the latest version.', methods: %i[update latest]
  feature :purgeable, 'Removes configuration too.', methods: [:purge]
  feature :versionable, 'Installs versions.'
  feature :version_ranges, 'Takes ranges of versions.'
  feature :holdable, 'Holds versions.', methods: %i[hold unhold]
  feature :install_only, 'Installs only.'
  feature :install_options, 'Takes options for installing.'
  feature :uninstall_options, 'Takes options for uninstalling.'
  feature :disableable, 'Disables packages.', methods: [:disable]
  feature :supports_flavors, 'Knows flavours.'
  feature :package_settings, 'Takes settings.', methods: %i[package_settings_insync? package_settings package_settings=]
  feature :virtual_packages, 'Knows virtual packages.'
  feature :targetable, 'Takes the command to use.'

  ensurable do
    attr_accessor :latest

    newvalue(:present, event: :package_installed) { provider.install }
    newvalue(:absent, event: :package_removed) { provider.uninstall }
    newvalue(:purged, event: :package_purged, required_features: :purgeable) { provider.purge }
    newvalue(:disabled, required_features: :disableable) { provider.disable }
    aliasvalue(:installed, :present)
    newvalue(:latest, required_features: :upgradeable) { change_version { provider.update } }
    newvalue(/./, required_features: :versionable) { change_version { provider.install } }
    defaultto :installed

    def change_version
      yield
      nil
    rescue StandardError => e
      error = Puppet::Error.new("Could not update: #{e}")
      error.set_backtrace(e.backtrace)
      raise error
    end

    def insync?(is)
      @should.any? { |wanted| state_matches?(is, wanted) }
    end

    def state_matches?(is, wanted)
      case wanted
      when :present then !%i[absent purged disabled].include?(is)
      when :latest then !%i[absent purged].include?(is) && (is == :present || Array(is).include?(newest))
      when :absent then %i[absent purged].include?(is)
      when :purged then is == :purged
      else Array(is).include?(wanted) || (provider.respond_to?(:insync?) && provider.insync?(is))
      end
    end

    def newest
      @latest ||= provider.latest
    rescue StandardError => e
      error = Puppet::Error.new("Could not get latest version: #{e}")
      error.set_backtrace(e.backtrace)
      raise error
    end

    def retrieve
      provider.properties[:ensure]
    end

    def should_to_s(value = @should)
      super(@latest || value)
    end

    def change_to_s(is, wanted)
      return 'purged' if wanted == :purged
      return 'created' if [nil, :absent, :purged].include?(is) && !%i[absent purged].include?(wanted)

      super
    end
  end

  newparam(:name) do
    isnamevar
    validate { |value| raise ArgumentError, "Name must be a String not #{value.class}" unless value.is_a?(String) }
  end
  providify
  newparam(:command, required_features: :targetable) { defaultto :default }

  newproperty(:package_settings, required_features: :package_settings) do
    validate { |value| provider.respond_to?(:package_settings_validate) ? provider.package_settings_validate(value) : true }
    munge { |value| provider.respond_to?(:package_settings_munge) ? provider.package_settings_munge(value) : value }

    def insync?(is)
      provider.package_settings_insync?(should, is)
    end
  end
  newproperty(:flavor, required_features: :supports_flavors)
  newproperty(:mark, required_features: :holdable) do
    newvalue(:hold) { provider.hold }
    newvalue(:none) { provider.unhold }
    defaultto :none

    def retrieve
      provider.properties[:mark]
    end

    def insync?(is)
      @should[0] == is
    end
  end

  newparam(:source) { validate { |value| provider.validate_source(value) if provider.respond_to?(:validate_source) } }
  %i[instance status adminfile responsefile category platform root vendor description].each { |name| newparam(name) }
  newparam(:configfiles) do
    defaultto :keep
    newvalues(:keep, :replace)
  end
  newparam(:allowcdrom) { newvalues(:true, :false) }
  newparam(:enable_only, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false }
  newparam(:install_only, boolean: false, parent: Puppet::Parameter::Boolean, required_features: :install_only) { defaultto false }
  newparam(:install_options, parent: Puppet::Parameter::PackageOptions, required_features: :install_options)
  newparam(:uninstall_options, parent: Puppet::Parameter::PackageOptions, required_features: :uninstall_options)
  newparam(:reinstall_on_refresh) do
    newvalues(:true, :false)
    defaultto :false
  end
  newparam(:allow_virtual, boolean: true, parent: Puppet::Parameter::Boolean, required_features: :virtual_packages) do
    defaultto { provider.class.respond_to?(:defaultto_allow_virtual) ? provider.class.defaultto_allow_virtual : true }
  end

  autorequire(:file) do
    found = %i[responsefile adminfile].filter_map { |name| self[name] if self[name]&.start_with?('/') }
    found << self[:source] if self[:source]&.start_with?('/')
    found
  end

  def clear
    provider.flush if provider.respond_to?(:flush)
  end

  def present?(current)
    super && current[:ensure] != :purged
  end

  # Whether the provider knows versions is only known at the change of them.
  def refresh
    return unless provider.reinstallable? && self[:reinstall_on_refresh] == :true

    is = properties.find { |one| one.name == :ensure }&.retrieve
    provider.reinstall unless %i[absent purged].include?(is)
  end
end
