# The common part of providers of packages.
module Puppet
  class Provider
    class Package < Provider
      class << self
        # Gives each installed package its known properties.
        def prefetch(packages)
          instances.each { |one| packages[one.name]&.provider = one }
        end
      end

      def flush
        @property_hash.clear
      end

      # What is known of the package, asked once.
      def properties
        if @property_hash.empty?
          missing = self.class.feature?(:purgeable) ? :purged : :absent
          @property_hash = query || {}
          @property_hash[:ensure] = missing if @property_hash.empty?
        end
        @property_hash.dup
      end

      def validate_source(_value)
        true
      end

      def join_options(options)
        options&.flat_map { |one| one.is_a?(Hash) ? one.sort.map { |key, value| "#{key}=#{value}" } : [one] }
      end

      # Packages of one language, installed by a command that the declaration names.
      class Targetable < Package
        class << self
          def instances(target = nil, *)
            validate_command(target) if target
            super()
          end

          def provider_command
            @provider_command ||= nil
          end

          def validate_command(command)
            return if Puppet::Util.which(command) || Puppet::FileSystem.exist?(command)

            raise Puppet::Error, "Provider #{name} package command '#{command}' does not exist on this host"
          end

          def validate_package_command(command)
            validate_command(command)
            command
          end
        end

        def resource_or_provider_command
          (resource[:command] && resource.original_parameters[:command]) || self.class.provider_command
        end
      end
    end
  end
end
