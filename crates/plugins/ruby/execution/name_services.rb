# The common part of providers of users and groups.
module Puppet
  class Provider
    class NameService < Provider
      class << self
        def initvars
          @checks, @options = {}, {}
          super
        end

        def autogen_default(name)
          @autogen_defaults&.fetch(name.to_sym, nil)
        end

        def autogen_defaults(values)
          (@autogen_defaults ||= {}).update(values.transform_keys(&:to_sym))
        end

        # A number above all that are in use.
        def autogen_id(_field, type)
          database, method = { user: %i[passwd uid], group: %i[group gid] }[type]
          raise DevError, "autogen_id() does not support auto generation of id for resource type #{type}" unless database

          @last_id ||= begin
            numbers = []
            Etc.public_send(database) { |entry| numbers << entry.public_send(method) }
            numbers.reject { |number| number > 65_000 }.max || 1000
          end
          @last_id += 1
        end

        def instances
          found = []
          Etc.public_send(section == 'gr' ? :group : :passwd) do |entry|
            found << new(name: entry.name, canonical_name: entry.name, ensure: :present)
          end
          found
        end

        def option(name, option)
          @options&.dig(name.to_sym, option)
        end

        def options(name, values)
          unless resource_type.valid_parameter?(name)
            raise DevError, "#{name} is not a valid attribute for #{resource_type.name}"
          end

          ((@options ||= {})[name.to_sym] ||= {}).update(values)
        end

        def resource_type=(type)
          super
          type.validproperties.each do |name|
            next if name == :ensure

            define_method(name) { get(name) || :absent } unless public_method_defined?(name)
            define_method("#{name}=") { |*values| set(name, *values) } unless public_method_defined?("#{name}=")
          end
        end

        def section
          raise DevError, 'Cannot determine Etc section without a resource type' unless resource_type

          resource_type.name == :group ? 'gr' : 'pw'
        end

        def validate(name, value)
          check = @checks&.fetch(name.to_sym, nil) or return
          raise ArgumentError, "Invalid value #{value}: #{check[:error]}" unless check[:block].call(value)
        end

        def verify(name, error, &block)
          (@checks ||= {})[name.to_sym] = { error: error, block: block }
        end
      end
      initvars

      def initialize(resource)
        super
        @custom_environment = {}
        @canonical_name = (resource.is_a?(Hash) && resource[:canonical_name]) || resource[:name]
      end

      def autogen(field)
        field = field.to_sym
        kind = @resource.class.name
        return self.class.autogen_id(field, kind) if { user: :uid, group: :gid }[kind] == field

        self.class.autogen_default(field) || (public_send("autogen_#{field}") if respond_to?("autogen_#{field}"))
      end

      def create
        if exists?
          info('already exists')
          return nil
        end
        run('create', addcmd)
        run('create', passcmd) if feature?(:manages_password_age) && passcmd
      end

      def delete
        unless exists?
          info('already absent')
          return nil
        end
        run('delete', deletecmd)
      end

      def ensure
        exists? ? :present : :absent
      end

      def exists?
        !getinfo(true).nil?
      end

      def get(name)
        found = getinfo(false)
        found && unmunge(name, found[name])
      end

      def getinfo(refresh)
        @objectinfo = look if @objectinfo.nil? || refresh
        @objectinfo && info2hash(@objectinfo)
      end

      def info2hash(info)
        self.class.resource_type.validproperties.to_h { |name| [name, posixmethod(name)] }
            .select { |_, method| info.respond_to?(method) }.transform_values { |method| info.public_send(method) }
      end

      def groups
        Puppet::Util::POSIX.groups_of(@resource[:name]).join(',')
      end

      def munge(name, value)
        convert(self.class.option(name, :munge), value)
      end

      def unmunge(name, value)
        convert(self.class.option(name, :unmunge), value)
      end

      def set(name, value)
        self.class.validate(name, value)
        command = modifycmd(name, munge(name, value))
        raise DevError, 'Nameservice command must be an array' unless command.is_a?(Array)

        execute(command, options_of_commands(name))
      rescue ExecutionFailure => e
        fail_with("Could not set #{name} on #{@resource.class.name}[#{@resource.name}]: #{e}", e)
      end

      def has_sensitive_data?(_property = nil)
        false
      end

      def comments_insync?(current, should)
        current == should[0].to_s.dup.force_encoding(current.encoding)
      end

      private

      def posixmethod(name)
        self.class.option(name.to_sym, :method) || name.to_sym
      end

      def look
        Etc.public_send("get#{self.class.section}nam", @canonical_name)
      rescue ArgumentError
        nil
      end

      def convert(block, value)
        block.is_a?(Proc) ? block.call(value) : value
      end

      def run(verb, command)
        execute(command, options_of_commands)
      rescue ExecutionFailure => e
        fail_with("Could not #{verb} #{@resource.class.name} #{@resource.name}: #{e}", e)
      end

      def options_of_commands(name = nil)
        { failonfail: true, combine: true, custom_environment: @custom_environment, sensitive: has_sensitive_data?(name) }
      end

      def fail_with(text, cause)
        error = Puppet::Error.new(text)
        error.set_backtrace(cause.backtrace)
        raise error
      end

      public

      # Users and groups by the tools of this system.
      class ObjectAdd < NameService
        def deletecmd
          [command(:delete), @resource[:name]]
        end

        def flag(name)
          name = name.to_sym
          self.class.option(name, :flag) || "-#{name[0, 1]}"
        end

        def modifycmd(name, value)
          [command(self.class.option(name, :command) || :modify), flag(name), value.to_s, @resource[:name]]
        end
      end

      class PwAdd < ObjectAdd; end
    end

    class AixObject < Provider; end
  end
end
