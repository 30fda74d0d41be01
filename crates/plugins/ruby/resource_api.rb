# Types of the Resource API: plain data, from which attributes are made.
module Puppet
  module ResourceApi
    OWN_NAMES = %i[title provider alias audit before consume export loglevel noop notify require schedule stage
                   subscribe tag].freeze
    BEHAVIOURS = %i[read_only namevar parameter init_only].freeze

    class << self
      def register_type(definition)
        described = TypeDefinition.new(definition)
        name = class_name_from_type_name(definition[:name])
        Provider.const_set(name, ::Module.new) unless Provider.const_defined?(name, false)
        Type.newtype(definition[:name]) { ResourceApi.fill(self, described) }
      end

      def fill(type, described)
        type.desc(described.definition[:desc] || '')
        type.extend(TypeMethods)
        type.include(ResourceMethods)
        type.type_definition = described
        type.apply_to_device if described.feature?('remote_resource')
        described.attributes.each { |name, options| attribute(type, name, options) }
        type.validate { check_required }
        relations(type, described.definition)
      end

      def class_name_from_type_name(name)
        name.to_s.split('_').map(&:capitalize).join
      end

      def load_provider(name)
        Ordain::Types.load_providers(name)
        word = class_name_from_type_name(name)
        Provider.const_get(word, false).const_get(word, false)
      rescue NameError
        raise DevError, "provider class Puppet::Provider::#{word}::#{word} not found in puppet/provider/#{name}/#{name}"
      end

      def register_transport(*); end

      def caller_is_resource_app?
        false
      end

      private

      def attribute(type, name, options)
        behaviour = options[:behaviour]
        raise ResourceError, "`#{behaviour}` is not a valid behaviour value" if behaviour && !BEHAVIOURS.include?(behaviour)

        parameter = %i[parameter namevar read_only].include?(behaviour)
        parent = parameter ? (behaviour == :read_only ? ReadOnlyParameter : Parameter) : Property
        made = type.public_send(parameter ? :newparam : :newproperty, name.to_sym, parent: parent)
        made.desc("#{options[:desc]} (a #{options[:type]})") if options[:desc]
        made.describe(type, options)
        made.isnamevar if behaviour == :namevar
      end

      def relations(type, definition)
        Type::AUTOMATIC.each do |kind|
          (definition[:"auto#{kind}"] || {}).each do |other, values|
            type.public_send("auto#{kind}", other.to_s.downcase.to_sym) do
              found = [values].flatten.map { |one| (match = /\A\$(.*)\z/m.match(one.to_s)) ? self[match[1].to_sym] : one }
              found.flatten.compact
            end
          end
        end
      end
    end

    # The definition of a type, checked.
    class TypeDefinition
      attr_reader :definition, :attributes

      def initialize(definition)
        raise DevError, "#{self.class} must be a Hash, not `#{definition.class}`" unless definition.is_a?(Hash)
        raise DevError, "#{self.class} must have a name" unless definition.key?(:name)
        raise DevError, "#{self.class} must have `attributes`" unless definition.key?(:attributes)

        @definition, @attributes = definition, definition[:attributes]
        definition[:desc] ||= definition.delete(:docs) if definition.key?(:docs)
        definition[:features] ||= []
        check_attributes
      end

      def name
        definition[:name]
      end

      def namevars
        attributes.select { |_, options| options[:behaviour] == :namevar }.keys
      end

      def title_patterns
        definition[:title_patterns] || []
      end

      def ensurable?
        attributes.key?(:ensure)
      end

      def feature?(name)
        definition[:features].include?(name)
      end

      private

      def check_attributes
        unless attributes.is_a?(Hash)
          raise DevError, "`#{name}.attributes` must be a hash, not `#{attributes.class}`"
        end

        OWN_NAMES.each { |one| raise DevError, "must not define an attribute called `#{one.inspect}`" if attributes.key?(one) }
        attributes.each do |key, options|
          raise DevError, "`#{name}.#{key}` must be a Hash, not a #{options.class}" unless options.is_a?(Hash)
          raise DevError, "`#{name}.#{key}` has no type" unless options.key?(:type)

          options[:behaviour] = options.delete(:behavior) if options[:behavior]
        end
      end
    end

    # The common part of both kinds of attributes: a data type, and its allowed words.
    module Typed
      attr_reader :options, :type_name

      def describe(type, options)
        @type_name, @options = type.type_definition.name, options
        default = options[:default]
        return if default.nil? || options[:behaviour] == :read_only

        default = default ? :true : :false if [true, false].include?(default)
        defaultto { default.is_a?(Symbol) ? default : Marshal.load(Marshal.dump(default)) }
      end

      def data_type
        @data_type ||= Pops::Types::TypeParser.singleton.parse(options[:type])
      end

      def optional?
        options[:type].to_s.match?(/\AOptional\s*\[/)
      end

      # The type determines the values that the documentation lists.
      def value_collection
        return super if @valued || !respond_to?(:options) || options.nil?

        @valued = true
        word = options[:type].to_s.strip
        word = word[/\AOptional\s*\[(.*)\]\z/m, 1].strip if optional?
        values(super, word)
      end

      private

      def values(into, word)
        case word
        when /\AString\b/ then into.newvalues(//)
        when /\ABoolean\b/
          into.newvalues('true', 'false')
          [true, false, :true, :false].each { |one| into.aliasvalue(one, one.to_s) }
        when /\AInteger\b/ then into.newvalues(/^-?\d+$/)
        when /\A(?:Float|Numeric)\b/ then into.newvalues(NUMERIC)
        end
        into.newvalues('absent', 'present') if options[:type] == 'Enum[present, absent]'
        into
      end

      NUMERIC = /^-?(?:(?:0[xX][0-9A-Fa-f]+)|(?:0?\d+(?:\.\d+)?(?:[eE]-?\d+)?))$/.freeze
    end

    # Checks a value against the type of its attribute.
    module Checked
      def take(given)
        given = { true: true, false: false }.fetch(given, given) if given.is_a?(Symbol)
        kind = self.class
        return given if Ordain.deferred?(given) || kind.data_type.instance?(given)

        raise ResourceError,
              Pops::Types::TypeMismatchDescriber.new.describe_mismatch(
                "#{kind.type_name}.#{kind.name}", kind.data_type, Pops::Types::TypeCalculator.infer_set(given)
              )
      end

      def rs_value
        @value
      end
    end

    class Parameter < Puppet::Parameter
      extend Typed
      include Checked

      attr_reader :value

      def value=(given)
        @value = take(given)
      end
    end

    class ReadOnlyParameter < Parameter
      def value=(given)
        raise ResourceError, "Attempting to set `#{name}` read_only attribute value to `#{given}`"
      end
    end

    class Property < Puppet::Property
      extend Typed
      include Checked

      def should
        value = rs_value
        return value.to_sym if name == :ensure && value.is_a?(String)

        [true, false].include?(value) ? value.to_s.to_sym : value
      end

      def should=(given)
        @shouldorig = given
        given = given.to_s if name == :ensure
        @should = [take(given)]
      end

      def rs_value
        @should&.first
      end
    end

    # Methods of the type of a definition.
    module TypeMethods
      attr_accessor :type_definition

      def title_patterns
        given = type_definition.definition[:title_patterns]
        return [[/(.*)/m, [[type_definition.namevars.first]]]] unless given

        given.map { |one| [one[:pattern], Regexp.new(one[:pattern]).names.map { |name| [name.to_sym] }] }
      end

      def my_provider
        @my_provider ||= ResourceApi.load_provider(type_definition.name).new
      end

      def context
        @context ||= Context.new(type_definition)
      end
    end

    # Methods of a resource of such a type.
    module ResourceMethods
      def initialize(given)
        @declared = given.is_a?(Ordain::Given)
        given = Ordain::Given.of(self.class, given) unless @declared
        definition = type_definition
        if definition.feature?('canonicalize')
          given.values = self.class.my_provider.canonicalize(self.class.context, [given.values])[0]
        end
        given.values.delete(:name) unless definition.attributes.key?(:name)
        super(given)
      end

      def type_definition
        self.class.type_definition
      end

      def name
        title
      end

      def rsapi_title
        names = type_definition.namevars
        names.size > 1 ? names.to_h { |name| [name, self[name]] } : self[names[0]]
      end

      # Mandatory parameters must have a value.
      def check_required
        return unless @declared

        missing = type_definition.attributes.select do |name, options|
          options[:behaviour] == :parameter && value(name).nil? && !self.class.attrclass(name).optional?
        end
        return if missing.empty?

        raise ResourceError,
              "The following mandatory parameters were not provided:\n    *  #{missing.keys.join(", \n    *  ")}"
      end
    end

    # The log of a provider.
    class Context
      attr_reader :type

      def initialize(type)
        @type = type
      end

      Puppet::LEVELS.each { |level| define_method(level) { |*messages| Puppet.public_send(level, messages.last.to_s) } }

      def feature_support?(name)
        type.feature?(name)
      end

      def failed?
        false
      end

      def reset_failed; end

      def method_missing(*)
        yield if block_given?
      end

      def respond_to_missing?(*)
        true
      end
    end

    class SimpleProvider; end

    module Transport
      class Wrapper; end

      def self.register(*); end
    end
  end
end
