# Parameters and properties of resource types: what their definitions say, and what they make of a
# value.
module Puppet
  class Parameter
    include Util
    include Util::Errors
    include Util::Logging

    class << self
      attr_accessor :name, :default, :metaparam, :element, :array_matching, :required_features

      def desc(text)
        @doc = text
      end

      def doc
        @doc
      end
      attr_writer :doc

      def isnamevar
        @isnamevar = true
      end

      def isnamevar?
        !!@isnamevar
      end

      def isrequired
        @required = true
      end

      def required?
        !!@required
      end

      def isrequired?
        required?
      end

      def sensitive(value = nil)
        @sensitive = value unless value.nil?
        !!@sensitive
      end

      def nodefault
        undef_method(:default) if public_method_defined?(:default)
      end

      def defaultto(value = nil, &block)
        define_method(:default, &(block || proc { value }))
      end

      def validate(&block)
        define_method(:unsafe_validate, &block)
      end

      def munge(&block)
        define_method(:unsafe_munge, &block)
      end

      def unmunge(&block)
        define_method(:unmunge, &block)
      end

      def newvalues(*names)
        allowed.concat(names)
      end

      def newvalue(name, _options = {}, &_block)
        allowed << name
      end

      def aliasvalue(name, other)
        aliases[name.to_s] = other.to_s
      end

      def allowed
        @allowed ||= superclass.respond_to?(:allowed) ? superclass.allowed.dup : []
      end

      def aliases
        @aliases ||= superclass.respond_to?(:aliases) ? superclass.aliases.dup : {}
      end
      alias value_collection allowed

      def format=(*); end

      def proxymethods(*names)
        names.each { |name| define_method(name) { resource.public_send(name) } }
      end

      def to_s
        name.to_s
      end
    end

    attr_accessor :resource, :value

    def initialize(options = {})
      @resource = options[:resource]
    end

    def name
      self.class.name
    end

    def provider
      nil
    end

    # Refuses a value that the definition does not allow.
    def unsafe_validate(value)
      allowed = self.class.allowed
      return if allowed.empty? || self.class.aliases.key?(value.to_s)
      return if allowed.any? { |one| one.is_a?(Regexp) ? value.to_s.match?(one) : one.to_s == value.to_s }

      names, patterns = allowed.partition { |one| !one.is_a?(Regexp) }
      text = "Invalid value #{value.inspect}."
      text += " Valid values are #{names.uniq.join(', ')}." unless names.empty?
      text += " Valid values match #{patterns.map(&:inspect).join(', ')}." unless patterns.empty?
      raise ArgumentError, text
    end
    alias validate unsafe_validate

    def unsafe_munge(value)
      allowed = self.class.allowed
      text = self.class.aliases.fetch(value.to_s, value.to_s)
      allowed.any? { |one| !one.is_a?(Regexp) && one.to_s == text } ? text.to_sym : value
    end

    def munge(value)
      unsafe_munge(value)
    end

    # What the parameter holds after it was given a value.
    def take(given)
      values = given.is_a?(Array) && self.class.array_matching == :all ? given : [given]
      values.each { |one| unsafe_validate(one) }
      values = values.map { |one| munge(one) }
      @value = given.is_a?(Array) && values.size != 1 ? values : values.first
    end

    def should
      value
    end

    def to_s
      name.to_s
    end

    # A truth value.
    class Boolean < Parameter
      newvalues(:true, :false, :yes, :no)

      def unsafe_munge(value)
        case value.to_s
        when 'true', 'yes' then true
        when 'false', 'no' then false
        else raise ArgumentError, "expected a boolean value, got #{value}"
        end
      end
    end

    # The path of a file.
    class Path < Parameter
      class << self
        def accept_arrays(*); end
        alias arrays? accept_arrays
      end
    end

    class PackageOptions < Parameter; end

    class Value
      attr_reader :name

      def initialize(name)
        @name = name
      end
    end
  end

  class Property < Parameter
    class << self
      def newvalue(name, options = {}, &block)
        super
        define_method(:"set_#{name}", &block) if block && name.is_a?(Symbol)
      end
    end

    def insync?(is)
      is == value
    end

    def safe_insync?(is)
      insync?(is)
    end

    def retrieve; end

    def is_to_s(value)
      value.inspect
    end
    alias should_to_s is_to_s

    def change_to_s(_from, _to)
      ''
    end

    class Ensure < Property
      class << self
        def defaultvalues
          newvalues(:present, :absent)
          define_method(:default) { nil }
        end
      end
    end

    Boolean = Class.new(Property) do
      newvalues(:true, :false, :yes, :no)

      def unsafe_munge(value)
        %w[true yes].include?(value.to_s)
      end
    end
    List = Class.new(Property)
    OrderedList = Class.new(List)
    KeyValue = Class.new(Property)
  end

  # What modules derive their providers from; providers do not run here.
  class Provider
    class ParsedFile < Provider; end
    class Package < Provider; end
    class NameService < Provider; end
    class Command < Provider; end

    def self.method_missing(*)
      nil
    end

    def self.respond_to_missing?(*)
      true
    end
  end
end
