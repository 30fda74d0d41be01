# Puppet's own types as the Ruby code of modules sees them. Other parts of the program implement them: here they
# only have attributes, so that code can look at resources and make new ones.
module Ordain
  module CoreTypes
    NAMEVARS = { 'file' => 'path', 'exec' => 'command', 'filebucket' => 'name' }.freeze
    PARAMETERS = {
      'file' => %w[backup recurse recurselimit replace force ignore links purge sourceselect show_diff source_permissions
                   checksum checksum_value validate_replacement validate_cmd content source target ensure owner group mode
                   selinux_ignore_defaults selrange selrole seltype seluser max_files ctime mtime type],
      'exec' => %w[command path user group cwd logoutput refresh environment umask timeout tries try_sleep refreshonly creates
                   unless onlyif returns],
      'package' => %w[ensure name package_settings source instance status adminfile responsefile configfiles category platform
                      root vendor description allowcdrom flavor install_only install_options uninstall_options
                      reinstall_on_refresh allow_virtual enable_only mark command],
      'service' => %w[ensure enable flags binary hasstatus name path pattern restart start status stop control hasrestart
                      manifest timeout logonaccount logonpassword],
      'user' => %w[ensure home uid gid comment shell password password_min_age password_max_age password_warn_days groups name
                   membership system allowdupe managehome expiry auths auth_membership roles role_membership profiles
                   profile_membership keys key_membership project attributes attribute_membership loginclass forcelocal
                   iterations salt purge_ssh_keys ia_load_module],
      'group' => %w[ensure gid members auth_membership allowdupe ia_load_module attributes attribute_membership system
                    forcelocal name],
      'notify' => %w[message withpath name], 'resources' => %w[name purge unless_system_user unless_uid],
      'schedule' => %w[name range periodmatch repeat period weekday], 'filebucket' => %w[name server port path],
      'tidy' => %w[path recurse max_files matches backup age type size rmdirs],
      'stage' => %w[name], 'component' => %w[name], 'whit' => %w[name]
    }.freeze
    # Words of `ensure` that Puppet has as symbols.
    WORDS = %w[present absent file directory link latest held purged installed disabled running stopped true false].freeze

    # Types of Puppet that are here as a whole, for providers of modules.
    WHOLE = %w[package service].freeze

    class << self
      def outline(name)
        return nil unless PARAMETERS.key?(name)

        attributes = PARAMETERS[name] | %w[provider]
        attributes -= %w[provider] unless %w[file exec package service user group].include?(name)
        { 'namevar' => NAMEVARS.fetch(name) { name == 'tidy' ? 'path' : 'name' }, 'attributes' => attributes }
      end

      # Takes the whole type in the place of its outline, if modules have providers for it.
      def load_whole(name)
        return unless WHOLE.include?(name) && LATER.key?("ordain/execution/#{name}_type") && !files_of(name).empty?

        Puppet::Type.types.delete(name.to_sym)
        Ordain.load_later("ordain/execution/#{name}_type")
      end

      # The providers that modules have for such a type; nil for other types.
      def providers_of(name)
        WHOLE.include?(name) ? files_of(name).map { |path| File.basename(path, '.rb') }.uniq : nil
      end

      def files_of(name)
        Ordain.info['libs'].flat_map { |lib| Dir.glob(File.join(lib, 'puppet/provider', name, '*.rb')) }
      end

      def outline?(type)
        PARAMETERS.key?(type.name.to_s) && type.instance_variable_get(:@outline)
      end

      # Fills in a type that has no code.
      def fill(type, outline)
        type.instance_variable_set(:@outline, true)
        type.newparam(outline['namevar'], namevar: true)
        (outline['attributes'] - [outline['namevar'], 'provider']).each do |name|
          if name == 'ensure'
            type.newproperty(:ensure) { munge { |value| WORDS.include?(value.to_s) ? value.to_s.to_sym : value } }
          else
            type.newparam(name)
          end
        end
      end
    end
  end

  module Types
    class << self
      private

      def outline(name)
        known = CoreTypes.outline(name.to_s) or return nil
        constant = name.to_s.capitalize
        made = Puppet::Type.const_get(constant) if Puppet::Type.const_defined?(constant, false)
        made ||= Class.new(Puppet::Type).tap do |type|
          type.instance_variable_set(:@name, name)
          constant(Puppet::Type, constant, type)
        end
        CoreTypes.fill(made, known)
        made.providify if known['attributes'].include?('provider')
        made
      end
    end
  end
end

module Puppet
  class Type
    # Code names the class of a type before it was loaded.
    def self.const_missing(name)
      found = equal?(Type) && !Ordain::Types.loading_constant?(name) && Ordain::Types.by_constant(name)
      found || super
    end
  end
end

module Ordain
  module Types
    class << self
      def loading_constant?(name)
        (@loading_constants ||= []).include?(name)
      end

      def by_constant(name)
        (@loading_constants ||= []).push(name)
        Puppet::Type.type(name.to_s.downcase)
      ensure
        @loading_constants.pop
      end
    end
  end
end

module Ordain
  module Types
    class << self
      alias load_provider_file_strictly load_provider_file
      private :load_provider_file_strictly

      private

      def original_provider(type, name)
        Original.provider_file(type, name)
      end

      # Modules extend Puppet's own types independently of each other: a provider that can not be loaded here leaves
      # the others as they are.
      def load_provider_file(type, path)
        load_provider_file_strictly(type, path)
      rescue Puppet::Error => e
        raise unless CoreTypes::WHOLE.include?(type.to_s)

        CoreTypes.problems[[type.to_s, File.basename(path, '.rb')]] = e
      end
    end
  end

  module CoreTypes
    class << self
      # The errors of providers of such types, by type and provider.
      def problems
        @problems ||= {}
      end
    end
  end
end

module Puppet
  class Type
    module OfProvider
      module Choice
        alias check_any_provider check_provider

        def check_provider(given)
          name = given.is_a?(Array) ? given[0] : given
          kind = @resource.class
          kind.load_providers
          error = Ordain::CoreTypes.problems[[kind.name.to_s, name.to_s]]
          raise error if error && !kind.provider_hash.key?(name.to_s.to_sym)

          check_any_provider(given)
        end
      end
    end
  end
end
