# Parameters and properties of resource types: their definitions, and the conversion of values.
module Puppet
  class Parameter
    include Util
    include Util::Errors
    include Util::Logging

    class << self
      include Util::Docs

      attr_accessor :name, :metaparam, :element
      attr_reader :default, :required_features
      attr_writer :value_collection

      def initvars
        @value_collection = ValueCollection.new
      end

      def value_collection
        @value_collection ||= ValueCollection.new
      end

      def doc
        @full_doc ||= [
          scrub((@doc || '').dup),
          value_collection.doc,
          required_features && "Requires features #{required_features.flatten.join(' ')}."
        ].compact.each_with_index.map { |part, index| index.zero? ? part : "\n\n#{part}" }.join
      end

      def isnamevar
        @isnamevar = @required = true
      end

      def isnamevar?
        @isnamevar
      end

      def isrequired
        @required = true
      end

      def required?
        @required
      end
      alias isrequired? required?

      def required_features=(*features)
        @required_features = features.flatten.map { |feature| feature.to_s.downcase.to_sym }
      end

      def sensitive(value = nil, &block)
        define_method(:is_sensitive, &(block || proc { value }))
      end

      def defaultto(value = nil, &block)
        raise DevError, 'Either a default value or block must be provided' if value.nil? && !block

        define_method(:default, &(block || proc { value }))
      end

      def nodefault
        undef_method(:default) if public_method_defined?(:default)
      end

      def validate(&block)
        define_method(:unsafe_validate, &block)
      end

      def munge(&block)
        define_method(:unsafe_munge, &block)
      end

      def unmunge(&block)
        define_method(:unsafe_unmunge, &block)
      end

      def newvalues(*names)
        value_collection.newvalues(*names)
      end

      def aliasvalue(name, other)
        value_collection.aliasvalue(name, other)
      end

      def proxymethods(*names)
        names.each { |name| define_method(name) { self.class.public_send(name) } }
      end

      def format_value_for_display(value)
        value.inspect
      end

      def to_s
        @name ? @name.to_s : super
      end
    end

    attr_accessor :resource, :parent, :sensitive

    def initialize(resource: nil, value: nil, should: nil)
      raise DevError, "No resource set for #{self.class.name}" unless resource

      @resource = resource
      self.value = value if value
      self.should = should if should
    end

    def name
      self.class.name
    end

    %i[line file version].each { |name| define_method(name) { resource.public_send(name) } }

    def metaparam?
      self.class.metaparam
    end

    def required?
      self.class.required?
    end

    def isnamevar?
      self.class.isnamevar?
    end

    def provider
      @resource.provider
    end

    def path
      "#{resource.path}/#{name}"
    end

    def noop
      false
    end

    def tags
      [name.to_s]
    end

    def remove
      @resource = nil
    end

    def unsafe_validate(value)
      self.class.value_collection.validate(value)
    end

    # Refuses a value that the definition does not allow.
    def validate(value)
      return if Ordain.deferred?(value)

      begin
        unsafe_validate(value)
      rescue ArgumentError => e
        self.fail(Puppet::Error, e.to_s, e)
      rescue Puppet::Error, TypeError
        raise
      rescue StandardError => e
        raise with_trace(DevError.new("Validate method failed for class #{name}: #{e}"), e)
      end
    end

    def unsafe_munge(value)
      self.class.value_collection.munge(value)
    end

    def munge(value)
      return value if Ordain.deferred?(value)

      begin
        unsafe_munge(value)
      rescue Puppet::Error
        raise
      rescue StandardError => e
        raise with_trace(DevError.new("Munging failed for value #{value.inspect} in class #{name}: #{e}"), e)
      end
    end

    def unsafe_unmunge(value)
      value
    end

    def unmunge(value)
      Ordain.deferred?(value) ? value : unsafe_unmunge(value)
    end

    def value
      @value.nil? ? nil : unmunge(@value)
    end

    def value=(given)
      validate(given)
      @value = munge(given)
    end

    def format(text, *args)
      text % args.map { |arg| @sensitive ? '[redacted]' : arg.to_s }
    end

    def log(message)
      Puppet.notice(message)
    end

    def to_s
      name.to_s
    end

    private

    def with_trace(error, cause)
      error.set_backtrace(cause.backtrace)
      error
    end

    public

    # A truth value.
    class Boolean < Parameter
      def self.initvars
        super
        newvalues(*Coercion.boolean_values)
      end

      def unsafe_munge(value)
        Coercion.boolean(value)
      end
    end

    # The path of a file.
    class Path < Parameter
      class << self
        def accept_arrays(accepted = true)
          @accept_arrays = !!accepted
        end

        def arrays?
          @accept_arrays
        end
      end

      def validate_path(paths)
        fail "#{name} only accepts a single path, not an array of paths" if paths.is_a?(Array) && !self.class.arrays?
        unless Array(paths).all? { |one| absolute_path?(one) }
          fail "#{name} must be a fully qualified path"
        end

        paths
      end
      alias unsafe_validate validate_path

      def unsafe_munge(paths)
        fail "#{name} only accepts a single path, not an array of paths" if paths.is_a?(Array) && !self.class.arrays?

        paths
      end
    end

    # Options of package managers.
    class PackageOptions < Parameter
      def unsafe_munge(values)
        [values].flatten(1).map do |one|
          case one
          when Hash then one.to_h { |key, value| [quote(key), quote(value)] }
          when String then quote(one)
          else fail 'Expected either a string or hash of options'
          end
        end
      end

      def quote(value)
        value.include?(' ') ? "\"#{value.gsub('"', '\"')}\"" : value
      end
    end
  end

  class Property < Parameter
    class << self
      attr_accessor :unmanaged
      attr_writer :idempotent

      def array_matching
        @array_matching ||= :first
      end

      def array_matching=(kind)
        kind = kind.to_sym
        unless %i[first all].include?(kind)
          raise ArgumentError, "Supported values for Property#array_matching are 'first' and 'all'"
        end

        @array_matching = kind
      end

      def idempotent
        @idempotent.nil? || @idempotent
      end

      def newvalue(name, options = {}, &block)
        value = value_collection.newvalue(name, options, &block)
        value.method && (value.block ? define_method(value.method, &value.block) : alias_method(value.method, :call_provider))
        value
      end

      def value_name(name)
        value_collection.match?(name)&.name
      end

      def value_option(name, option)
        value_collection.value(name)&.public_send(option)
      end
    end

    attr_reader :shouldorig
    attr_writer :noop

    def unsafe_validate(value)
      super
      validate_features_per_value(value)
    end

    def validate_features_per_value(value)
      found = self.class.value_name(value)
      features = Array(self.class.value_option(found, :required_features))
      return if features.empty? || !provider || provider.class.satisfies?(features)

      raise ArgumentError,
            "Provider #{provider.class.name} must have features '#{features.join(', ')}' " \
            "to set '#{name}' to '#{value}'"
    end

    # Has the provider make the machine have a value.
    def call_provider(value)
      fail("The #{provider.class.name} provider can not handle attribute #{name}") unless provider.respond_to?("#{name}=")

      provider.public_send("#{name}=", value)
    end

    def match_all?
      self.class.array_matching == :all
    end

    def should
      return nil unless defined?(@should)

      match_all? ? @should.map { |one| unmunge(one) } : unmunge(@should[0])
    end

    def should=(given)
      given = [given] unless given.is_a?(Array)
      @shouldorig = given
      given.each { |one| validate(one) }
      @should = given.map { |one| munge(one) }
    end

    def value
      should
    end

    def value=(given)
      self.should = given
    end

    def insync?(is)
      return true if @should.nil? || @should.empty?
      return @should.any? { |wanted| property_matches?(is, wanted) } unless match_all?

      is.is_a?(Array) && (is == @should || is == @should.map(&:to_s))
    end

    def safe_insync?(is)
      @should ? insync?(is) : true
    end

    def property_matches?(current, wanted)
      current == wanted || current == wanted.to_s
    end

    # The system is not examined here.
    def retrieve
      :absent
    end

    def is_to_s(value)
      self.class.format_value_for_display(value)
    end
    alias should_to_s is_to_s

    def change_to_s(_from, _to)
      ''
    end

    class Ensure < Property
      @name = :ensure

      class << self
        def defaultvalues
          newvalue(:present) { provider.create }
          newvalue(:absent) { provider.destroy }
          defaultto { :present if @resource.managed? }
          @doc ||= 'The basic property that the resource should be in.'
        end
      end

      defaultto { :present if @resource.managed? }
    end

    class Boolean < Property
      def unsafe_munge(value)
        Coercion.boolean(value)
      end
    end

    # Words in one text, in any order.
    class List < Property
      def membership
        :membership
      end

      def inclusive?
        @resource[membership] == :inclusive
      end

      def delimiter
        ','
      end

      def dearrayify(list)
        list.sort.join(delimiter)
      end

      def add_should_with_current(should, current)
        (current.is_a?(Array) ? should + current : should).uniq
      end

      def should
        return nil unless @should

        dearrayify(inclusive? ? @should : add_should_with_current(@should, retrieve))
      end
    end

    # The same in their order.
    class OrderedList < List
      def dearrayify(list)
        list.join(delimiter)
      end

      def add_should_with_current(should, current)
        current.is_a?(Array) ? should + (current - should) : should
      end
    end

    # Pairs of keys and values.
    class KeyValue < Property
      class << self
        attr_accessor :log_only_changed_or_new_keys
      end

      def membership
        :key_value_membership
      end

      def inclusive?
        @resource[membership] == :inclusive
      end

      def separator
        '='
      end

      def delimiter
        ';'
      end

      def hashify_should
        return @should.first if @should.first.is_a?(Hash)

        @should.to_h do |pair|
          key, value = pair.split(separator)
          [key.strip.to_sym, value]
        end
      end

      def should
        @should && hashify_should
      end

      validate do |value|
        unless value.is_a?(String) || value.is_a?(Hash)
          raise ArgumentError,
                "The #{name} property must be specified as a hash or an array of key/value pairs (strings)!"
        end
        if value.is_a?(String) && !value.include?(separator.to_s)
          raise ArgumentError, "Key/value pairs must be separated by '#{separator}'"
        end
      end

      munge do |value|
        value.is_a?(String) ? value : value.to_h { |key, one| [key.to_s.strip.to_sym, one.to_s] }
      end
    end
  end
end
