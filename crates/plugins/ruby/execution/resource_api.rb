# The Resource API in execution: providers with `get` and `set`, and transports.
require 'ordain/resource_api'
require 'ordain/execution/network_device'

module Puppet
  module ResourceApi
    class << self
      # The provider of a type; the one for the device of a transport where there is one.
      def load_provider(name)
        word = class_name_from_type_name(name)
        Ordain::Types.load_providers(name)
        space = Provider.const_get(word, false)
        device = Util::NetworkDevice.current
        device_name = device && device_name_of(device)
        own = device_name && class_name_from_type_name(device_name)
        return space.const_get(own, false) if own && space.const_defined?(own, false)

        space.const_get(word, false)
      rescue NameError => e
        raise unless e.is_a?(NameError) && !e.is_a?(NoMethodError) && e.name.to_s == word

        generic = "provider class Puppet::Provider::#{word}::#{word} not found in puppet/provider/#{name}/#{name}"
        raise DevError, generic unless own

        raise DevError, "Found neither the device-specific provider class Puppet::Provider::#{word}::#{own} in " \
                        "puppet/provider/#{name}/#{device_name} nor the generic provider class " \
                        "Puppet::Provider::#{word}::#{word} in puppet/provider/#{name}/#{name}"
      end

      def register_transport(schema)
        Transport.register(schema)
      end

      private

      def device_name_of(device)
        device.is_a?(Transport::Wrapper) ? device.schema.name : device.class.name.split('::')[-2].downcase
      end
    end

    # Checks of values against data types.
    module DataTypeHandling
      class << self
        def parse_puppet_type(name, type)
          Ordain::DataTypes.parse(type)
        rescue ParseError => e
          raise DevError, "The type of the `#{name}` attribute `#{type}` could not be parsed: #{e.message}"
        end

        def try_validate(type, value, prefix)
          type.instance?(value) ? nil : Ordain::DataTypes.mismatch(prefix, type, value)
        end

        def validate(type, value, prefix)
          text = try_validate(type, value, prefix)
          raise ResourceError, text if text
        end

        def mungify(type, value, prefix, _unpack = false)
          value = { true: true, false: false }.fetch(value, value) if value.is_a?(Symbol)
          validate(type, value, prefix)
          value
        end
      end
    end

    # What types and transports have in common.
    class BaseTypeDefinition; end

    class TypeDefinition
      def insyncable_attributes
        attributes.reject { |_, options| options.key?(:behaviour) }.keys
      end

      # Refuses values of a provider that the definition does not allow; or warns, as the setting `strict` says.
      def check_schema(resource, prefix = nil)
        namevars.each do |one|
          if resource[one].nil?
            raise ResourceError, "`#{name}.get` did not return a value for the `#{one}` namevar attribute"
          end
        end
        unknown, bad = check_schema_keys(resource), check_schema_values(resource)
        return if unknown.empty? && bad.empty?

        text = "#{prefix || 'Provider returned data that does not match the Type Schema'} for `#{name}[#{resource[namevars.first]}]`"
        text += "\n Unknown attribute:\n#{unknown.map { |key| "    * #{key}\n" }.join}" unless unknown.empty?
        text += "\n Value type mismatch:\n#{bad.map { |key, value| "    * #{key}: #{value}\n" }.join}" unless bad.empty?
        notify_schema_errors(text)
      end

      def notify_schema_errors(text)
        case Puppet.settings[:strict]
        when :off then Puppet.debug(text)
        when :error then raise DevError, text
        else Puppet.warning(text)
        end
      end

      def check_schema_keys(resource)
        resource.keys.reject { |key| key == :title || attributes.key?(key) }
      end

      def check_schema_values(resource)
        resource.filter_map do |key, value|
          next unless attributes[key]

          type = DataTypeHandling.parse_puppet_type(key, attributes[key][:type])
          text = DataTypeHandling.try_validate(type, value, '') or next
          [key, attributes[key][:sensitive] ? "<< redacted value >> #{text}" : "#{value} (#{text})"]
        end.to_h
      end
    end

    # The connection data of a transport.
    class TransportSchemaDef
      attr_reader :definition, :attributes

      def initialize(definition)
        @definition, @attributes = definition, definition[:connection_info]
      end

      def name
        definition[:name]
      end

      def namevars
        []
      end

      def check_schema(info, prefix = nil)
        unknown = info.keys.reject { |key| attributes.key?(key) }
        bad = info.filter_map do |key, value|
          next unless attributes[key]

          type = DataTypeHandling.parse_puppet_type(key, attributes[key][:type])
          text = DataTypeHandling.try_validate(type, value, '') or next
          [key, attributes[key][:sensitive] ? "<< redacted value >> #{text}" : "#{value} (#{text})"]
        end
        return if unknown.empty? && bad.empty?

        text = "#{prefix} for `#{name}[]`"
        text += "\n Unknown attribute:\n#{unknown.map { |key| "    * #{key}\n" }.join}" unless unknown.empty?
        text += "\n Value type mismatch:\n#{bad.map { |key, value| "    * #{key}: #{value}\n" }.join}" unless bad.empty?
        raise DevError, text
      end

      def validate(info)
        missing = attributes.select do |key, options|
          info[key].nil? && !DataTypeHandling.parse_puppet_type(key, options[:type]).optional?
        end
        return if missing.empty?

        raise ResourceError,
              "The following mandatory attributes were not provided:\n    *  #{missing.keys.join(", \n    *  ")}"
      end
    end

    module Checked
      def take(given)
        kind = self.class
        prefix = "#{kind.type_name}.#{kind.name}"
        given = given.unwrap if given.is_a?(Ordain::Wire::SENSITIVE) && !kind.options[:type].to_s.include?('Sensitive')
        DataTypeHandling.mungify(kind.data_type, given, prefix)
      end
    end

    module Typed
      def data_type
        @data_type ||= DataTypeHandling.parse_puppet_type(name, options[:type])
      end
    end

    class Property
      def insync?(is)
        return custom_insync(is) if resource.type_definition.feature?('custom_insync')
        return rs_value.to_s == is.to_s if name == :ensure

        super
      end

      # One `set` changes all properties.
      def set(_value); end
      def call_provider(_value); end

      def change_to_s(current, wanted)
        @change_text || super
      end

      private

      def custom_insync(is)
        provider = resource.my_provider
        unless provider.respond_to?(:insync?)
          raise DevError, 'No insync? method defined in the provider; an insync? method must be defined if the ' \
                          'custom_insync feature is defined for the type'
        end
        found, text = provider.insync?(resource.context, resource.rsapi_title, name, resource.rsapi_current_state,
                                       resource.rsapi_canonicalized_target_state)
        @change_text = text unless found.nil? || text.nil? || text.empty?
        case found
        when nil then name == :ensure ? rs_value.to_s == is.to_s : property_insync?(is)
        when true, false then found
        else
          raise DevError, "Custom insync for #{name} returned a #{found.class} with a value of #{found.inspect} instead " \
                          'of true/false; insync? MUST return nil or the boolean true or false'
        end
      end

      def property_insync?(is)
        @should.any? { |wanted| property_matches?(is, wanted) }
      end
    end

    module TypeMethods
      def my_provider
        device = Util::NetworkDevice.current
        key = device.is_a?(Transport::Wrapper) ? device.transport.class : device.class
        (@my_provider ||= {})[key] ||= ResourceApi.load_provider(type_definition.name).new
      end

      def context
        @context ||= PuppetContext.new(type_definition)
      end

      # What `get` has found, by titles.
      def found
        @found ||= {}
      end

      def forget_found
        @found = {}
        @found_all = false
      end

      # All resources, or those of some names where the provider can look for names.
      def rsapi_provider_get(names = nil)
        return found.values if @found_all && names.nil?
        return names.filter_map { |name| found[name] } if @found_all && names.all? { |name| found.key?(name) }

        filtered = type_definition.feature?('simple_get_filter')
        fetched = filtered ? my_provider.get(context, names) : my_provider.get(context)
        fetched = (fetched || []).to_a
        fetched.each { |one| found[build_title(one)] = one }
        @found_all = true if names.nil? || !filtered
        fetched
      end

      def build_title(values)
        names = type_definition.namevars
        names.size > 1 ? names.to_h { |name| [name, values[name]] } : values[names[0]]
      end

      def instances
        load_providers
        rsapi_provider_get.map do |values|
          type_definition.check_schema(values)
          title = values[:title] || build_title(values)
          title = title.values.join('/') if title.is_a?(Hash)
          made = Ordain::Given.new(title.to_s, type_definition.namevars.to_h { |name| [name, values[name]] })
          found = new(made)
          found.cache_current_state(values)
          found
        end
      end
    end

    module ResourceMethods
      attr_reader :rsapi_current_state

      def my_provider
        self.class.my_provider
      end

      def context
        self.class.context
      end

      def rsapi_current_state=(values)
        self.class.found[rsapi_title] = values
        @rsapi_current_state = values
      end

      def cache_current_state(values)
        self.rsapi_current_state = values
        strict_check(values)
      end

      # The declared values in the form that the provider prefers.
      def rsapi_canonicalized_target_state
        @rsapi_target ||= begin
          own = @parameters.select { |name, _| type_definition.attributes.key?(name) }
          values = own.transform_values(&:rs_value)
          type_definition.feature?('canonicalize') ? my_provider.canonicalize(context, [values]).first : values
        end
      end

      def refresh_current_state
        values = self.class.rsapi_provider_get([rsapi_title]).find { |one| namevar_match?(one) }
        if values
          type_definition.check_schema(values)
          strict_check(values)
        else
          title = rsapi_title
          values = title.is_a?(Hash) ? title.dup : { title: title }
          values[:ensure] = :absent if type_definition.ensurable?
        end
        self.rsapi_current_state = values
      end

      def namevar_match?(values)
        type_definition.namevars.all? { |name| values[name] == @parameters[name]&.value }
      end

      def retrieve
        refresh_current_state unless rsapi_current_state
        Puppet.debug { "Current State: #{rsapi_current_state.inspect}" }
        found = Resource.new(self.class, title, parameters: rsapi_current_state)
        found[:ensure] = found[:ensure].to_sym if type_definition.ensurable? && found[:ensure].is_a?(String)
        raise_missing_attrs
        found
      end

      def flush
        raise_missing_attrs
        target = rsapi_canonicalized_target_state
        retrieve unless rsapi_current_state
        return if rsapi_current_state == target

        Puppet.debug { "Target State: #{target.inspect}" }
        check_init_only(target)
        changes = { rsapi_title => { is: rsapi_current_state, should: target } }
        if type_definition.feature?('supports_noop')
          my_provider.set(context, changes, noop: noop?)
        else
          my_provider.set(context, changes)
        end
        if context.failed?
          reason = context.failure
          context.reset_failed
          raise Puppet::Error, reason ? "Execution encountered an error: #{reason}" : 'Execution encountered an error'
        end
        self.rsapi_current_state = target
      end

      def generate
        return unless type_definition.feature?('custom_generate')
        raise DevError, 'No generate method found within the types provider' unless my_provider.respond_to?(:generate)

        my_provider.generate(context, rsapi_title, rsapi_current_state, rsapi_canonicalized_target_state)
      end

      def raise_missing_attrs
        state = value(:ensure)
        return if state.nil? || state.to_s == 'absent' || missing_attributes.empty?

        raise ResourceError,
              "The following mandatory attributes were not provided:\n    *  #{missing_attributes.join(", \n    *  ")}"
      end

      def strict_check(values)
        return if Puppet.settings[:strict] == :off

        strict_check_canonicalize(values) if type_definition.feature?('canonicalize')
        return unless type_definition.namevars.size > 1 && !type_definition.title_patterns.empty? && !values.key?(:title)

        strict_message("#{type_definition.name}[#{title}]#get has not provided a title attribute.")
      end

      private

      def missing_attributes
        @missing_attributes ||= type_definition.attributes.filter_map do |name, options|
          next if %i[read_only namevar].include?(options[:behaviour]) || name == :ensure

          name if value(name).nil? && !self.class.attrclass(name).optional?
        end
      end

      # Attributes that only count when a resource is made.
      def check_init_only(target)
        present = rsapi_current_state
        return if Puppet.settings[:strict] == :off || !present
        return unless present[:ensure].to_s == 'present' && target[:ensure].to_s == 'present'

        target.each do |name, value|
          next unless type_definition.attributes[name]&.fetch(:behaviour, nil) == :init_only && value != present[name]

          text = "Attempting to change `#{name}` init_only attribute value from `#{present[name]}` to `#{value}`"
          raise ResourceError, text if Puppet.settings[:strict] == :error

          Puppet.warning(text)
        end
      end

      def strict_check_canonicalize(values)
        copy = my_provider.canonicalize(context, [Marshal.load(Marshal.dump(values))]).first
        return if copy.nil? || values == copy

        message = "#{type_definition.name}[#{title}]#get has not provided canonicalized values.\n" \
                  "Returned values:       #{values.inspect}\nCanonicalized values:  #{copy.inspect}"
        strict_message(message)
      end

      def strict_message(text)
        raise DevError, text if Puppet.settings[:strict] == :error

        Puppet.warning(text)
      end
    end

    # The log of a provider, with the resource that it works on.
    class BaseContext
      attr_reader :type, :failure

      def initialize(definition)
        @type = definition.is_a?(Hash) ? TypeDefinition.new(definition) : definition
      end

      def failed?
        !!@failed
      end

      def reset_failed
        @failed = false
        @failure = nil
      end

      def device
        raise 'Received device() on an unprepared BaseContext. Use a PuppetContext instead.'
      end

      def transport
        raise 'No transport available.'
      end

      def feature_support?(name)
        type.feature?(name)
      end

      %i[debug info notice warning err].each do |level|
        define_method(level) do |*args|
          text = case args.size
                 when 1 then "#{@context || type.name}: #{args.last}"
                 when 2 then "#{format_titles(args.first)}: #{args.last}"
                 else args.map(&:to_s).join(', ')
                 end
          send_log(level, text)
        end
      end

      { creating: 'Creating', updating: 'Updating', deleting: 'Deleting' }.each do |name, word|
        define_method(name) do |titles, message: word, &block|
          watch_over(titles, message, ->(time) { notice("Finished in #{time} seconds") }, &block)
        end
      end

      def failing(titles, message: 'Failing', &block)
        watch_over(titles, message, ->(time) { warning("Finished failing in #{time} seconds") }, &block)
      end

      def processing(title, is, should, message: 'Processing', &block)
        raise "#{__method__} only accepts a single resource title" if title.respond_to?(:each)

        finish = ->(time) { notice("Finished processing #{title} in #{time} seconds: #{should}") }
        watch_over(title, message, finish, "Failed processing #{title} after",
                   "Starting processing of #{title} from #{is} to #{should}", &block)
      end

      { created: 'Created', updated: 'Updated', deleted: 'Deleted' }.each do |name, word|
        define_method(name) { |titles, message: word| notice("#{message}: #{titles}") }
      end

      def processed(title, is, should)
        raise "#{__method__} only accepts a single resource title" if title.respond_to?(:each)

        notice("Processed #{title} from #{is} to #{should}")
      end

      def attribute_changed(title, attribute, is, should, message: nil)
        raise "#{__method__} only accepts a single resource title" if title.respond_to?(:each)

        before, after = [is, should].map { |one| one ? (one.is_a?(Numeric) ? one : "'#{one}'") : 'nil' }
        notice("#{title}: attribute '#{attribute}' changed from #{before} to #{after}#{message ? ": #{message}" : ''}")
      end

      def failed(titles, message: 'Updating has failed')
        setup_context(titles)
        err(message)
      ensure
        @context = nil
      end

      def log_exception(error, message: 'Error encountered', trace: false)
        text = "#{message}: #{error}"
        text += "\n#{(error.backtrace || []).join("\n")}" if trace
        err(text)
      end

      def send_log(_level, _text)
        raise 'Received send_log() on an unprepared BaseContext. Use IOContext, or PuppetContext instead.'
      end

      private

      def watch_over(titles, message, finish, failed = 'Failed after', start = 'Start')
        begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        setup_context(titles, message)
        debug(start)
        yield
        finish.call(since(begun))
      rescue StandardError => e
        log_exception(e, message: "#{failed} #{since(begun)} seconds")
        @failed = true
        @failure ||= e.message
      ensure
        @context = nil
      end

      def since(begun)
        seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun
        format(seconds < 1 ? '%.6f' : '%.2f', seconds)
      end

      def format_titles(titles)
        return type.name if titles.respond_to?(:empty?) && titles.empty? && !titles.is_a?(String)

        "#{type.name}[#{[titles].flatten.compact.join(', ')}]"
      end

      def setup_context(titles, message = nil)
        @context = format_titles(titles)
        @context += ": #{message}" if message
      end
    end

    class PuppetContext < BaseContext
      def device
        Util::NetworkDevice.current or raise 'no device configured'
      end

      def transport
        device.transport
      end

      def send_log(level, text)
        Puppet.send_log(level, text)
      end
    end

    class IOContext < BaseContext
      attr_reader :transport

      def initialize(definition, target = $stderr, transport = nil)
        super(definition)
        @target, @transport = target, transport
      end

      def send_log(level, text)
        @target.puts("#{level}: #{text}")
      end
    end

    # A provider of which only the single changes are written.
    class SimpleProvider
      def self.build_name(names, values)
        names.size > 1 ? names.to_h { |name| [name, values[name]] } : values[names[0]]
      end

      def set(context, changes)
        names = context.type.namevars
        raise 'SimpleProvider cannot be used with a Type that is not ensurable' unless context.type.ensurable?

        changes.each do |title, change|
          is = change.key?(:is) ? change[:is] : present(context, title, names)
          should = change[:should]
          change_one(context, title, names.size > 1 ? names.to_h { |name| [name, should[name]] } : title,
                     (is.nil? ? 'absent' : is[:ensure].to_s), (should.nil? ? 'absent' : should[:ensure].to_s), should)
        end
      end

      def create(*)
        raise "#{self.class} has not implemented `create`"
      end

      def update(*)
        raise "#{self.class} has not implemented `update`"
      end

      def delete(*)
        raise "#{self.class} has not implemented `delete`"
      end

      private

      def present(context, title, names)
        all = context.type.feature?('simple_get_filter') ? get(context, [title]) : get(context)
        found = (all || []).find { |one| SimpleProvider.build_name(names, one) == title }
        context.type.check_schema(found) if found
        found
      end

      def change_one(context, title, name, is, wanted, should)
        if is == 'absent' && wanted == 'present'
          context.creating(title) { create(context, name, should) }
        elsif is == 'present' && wanted == 'absent'
          context.deleting(title) { delete(context, name) }
        elsif is == 'present'
          context.updating(title) { update(context, name, should) }
        end
      end
    end

    # Connections to devices.
    module Transport
      @schemas = {}

      class << self
        def register(schema)
          raise DevError, "requires a hash as schema, not `#{schema.class}`" unless schema.is_a?(Hash)

          %i[name desc connection_info].each { |key| raise DevError, "requires `:#{key}`" unless schema.key?(key) }
          unless schema[:connection_info].is_a?(Hash)
            raise DevError, "`:connection_info` must be a hash, not `#{schema[:connection_info].class}`"
          end

          schema[:connection_info_order] ||= schema[:connection_info].keys
          if @schemas.key?(schema[:name])
            raise DevError, "Transport `#{schema[:name]}` is already registered for `#{Ordain.info['environment']}`"
          end

          @schemas[schema[:name]] = TransportSchemaDef.new(schema)
        end

        def list
          @schemas.dup
        end

        def connect(name, info)
          validate(name, info)
          require "puppet/transport/#{name}"
          word = name.split('_').map(&:capitalize).join
          Puppet::Transport.const_get(word).new(PuppetContext.new(@schemas[name]), wrap_sensitive(name, info))
        end

        def inject_device(name, transport)
          Util::NetworkDevice.set_device(name, Wrapper.new(name, transport))
        end

        private

        def validate(name, info)
          require "puppet/transport/schema/#{name}" unless @schemas.key?(name)
          schema = @schemas[name] or
            raise DevError, "Transport for `#{name}` not registered with `#{Ordain.info['environment']}`"

          schema.attributes.each { |key, options| info[key] = options[:default] if options.key?(:default) && !info.key?(key) }
          schema.check_schema(info, 'The connection info provided does not match the Transport Schema')
          schema.validate(info)
        end

        def wrap_sensitive(name, info)
          @schemas[name].attributes.each do |key, options|
            info[key] = Ordain::Wire::SENSITIVE.new(info[key]) if options[:sensitive] == true && info.key?(key)
          end
          info
        end
      end

      # A transport as the device that providers work on.
      class Wrapper
        attr_reader :transport, :schema

        def initialize(name, given)
          given = read(given) if given.is_a?(String)
          @transport = given.is_a?(Hash) ? Transport.connect(name, given) : given
          @schema = Transport.list[name]
        end

        def facts
          @transport.facts(PuppetContext.new(@schema))
        end

        def self.deep_symbolize(value)
          case value
          when Hash then value.to_h { |key, one| [key.to_sym, deep_symbolize(one)] }
          when Array then value.map { |one| deep_symbolize(one) }
          else value
          end
        end

        def method_missing(name, *args, **options, &block)
          @transport.respond_to?(name) ? @transport.public_send(name, *args, **options, &block) : super
        end

        def respond_to_missing?(name, include_private = false)
          @transport.respond_to?(name) || super
        end

        private

        def read(text)
          url = URI.parse(text)
          unless url.scheme == 'file'
            raise "Unexpected url '#{text}' found. Only file:/// URLs for configuration supported at the moment."
          end
          raise "Trying to load config from '#{url.path}, but file does not exist." unless File.exist?(url.path)

          require 'hocon'
          self.class.deep_symbolize(Hocon.load(url.path) || {})
        end
      end
    end
  end
end
