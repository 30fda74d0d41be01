# Resource types of modules: `Puppet::Type.newtype`, and the resources that are made of them.
module Puppet
  class Type
    include Util
    include Util::Errors
    include Util::Logging
    include Enumerable
    include Comparable

    METAPARAMETERS = %i[noop schedule audit loglevel alias tag require subscribe before notify stage].freeze
    AUTOMATIC = %i[require subscribe before notify].freeze
    # Each attribute is a Ruby class; the largest types have two hundred.
    MOST_ATTRIBUTES = 3000
    @types = {}

    class << self
      include Util::ProviderFeatures
      include Util::Docs

      attr_reader :name, :types, :properties
      attr_accessor :self_refresh, :providerloader
      attr_writer :defaultprovider

      def initvars
        @parameters, @paramhash, @properties, @validproperties = [], {}, [], {}
        @known_attributes = {}
        @doc ||= ''
      end

      # A type that derives from another in Ruby inherits its attributes.
      def inherited(made)
        super
        made.initvars
      end

      def newtype(name, options = {}, &block)
        name = name.to_s.downcase.to_sym
        parent = options.is_a?(Hash) && options[:parent].is_a?(Class) ? options[:parent] : Type
        made = Class.new(parent)
        made.instance_variable_set(:@name, name)
        Type.types[name] = made
        Ordain::Types.constant(Type, name.to_s.capitalize, made)
        made.class_eval(&block) if block
        made.ensurable if made.ensurable? && !made.validproperty?(:ensure)
        made
      end

      # The type with a name; an outline if only the compile knows it.
      def type(name)
        name = name.to_s.downcase.to_sym
        Type.types[name] ||= Ordain::Types.find(name)
      end

      def rmtype(name)
        Type.types.delete(name.to_sym)
      end

      def eachtype(&block)
        Type.types.values.each(&block)
      end

      def loadall; end

      def doc
        scrub(@doc || '')
      end

      # Attributes.

      def newparam(name, options = {}, &block)
        name = name.to_sym
        made = attribute(name, options.fetch(:parent, Parameter), "Parameter#{name.to_s.capitalize}", options[:attributes], block)
        @parameters << made
        @paramhash[name] = made
        question(name, options)
        made.required_features = options[:required_features] if options[:required_features]
        made.isnamevar if options[:namevar]
        made
      end

      def newproperty(name, options = {}, &block)
        name = name.to_sym
        raise DevError, "Options must be a hash, not #{options.inspect}" unless options.is_a?(Hash)
        raise DevError, "Class #{self.name} already has a property named #{name}" if @validproperties.key?(name)

        given = options.reject { |key, _| key == :parent }
        made = attribute(name, options.fetch(:parent, Property), name.to_s.capitalize, given, block)
        @validproperties[name] = made
        name == :ensure ? @properties.unshift(made) : @properties.push(made)
        made
      end
      alias newstate newproperty

      def newcheck(name, options = {}, &block)
        newparam(name, options, &block)
      end

      def newmetaparam(name, options = {}, &block)
        made = attribute(name.to_sym, options.fetch(:parent, Parameter), "MetaParam#{name.to_s.capitalize}", options[:attributes], block)
        made.metaparam = true
        Type.metaparameters[name.to_sym] = made
        made
      end

      def metaparameters
        @metaparameters ||= {}
      end

      def ensurable(&block)
        newproperty(:ensure, parent: Property::Ensure, &(block || proc { defaultvalues }))
      end

      def ensurable?
        %i[exists? create destroy].all? { |method| public_method_defined?(method) }
      end

      # Parameters and properties by name, in the order of their definition.
      def attributes
        @properties.to_h { |one| [one.name, one] }.merge(@paramhash)
      end

      def parameters
        @parameters.map(&:name)
      end

      def validproperties
        @validproperties.keys
      end

      def key_attribute_parameters
        @parameters.select { |one| one.isnamevar? || one.name == :name }
      end

      def key_attributes
        key_attribute_parameters.map(&:name)
      end

      def namevar
        key_attributes.size == 1 ? key_attributes.first : :name
      end

      def allattrs
        key_attributes | (parameters & [:provider]) | properties.map(&:name) | parameters | metaparams
      end

      def attrclass(name)
        @validproperties[name] || @paramhash[name] || Type.metaparameters[name]
      end

      def attrtype(name)
        return :property if @validproperties.key?(name)
        return :param if @paramhash.key?(name)

        metaparam?(name) ? :meta : nil
      end

      def paramclass(name)
        @paramhash[name]
      end

      def propertybyname(name)
        @validproperties[name]
      end

      def validattr?(name)
        name = name.to_sym
        name == :name || validproperty?(name) || validparameter?(name) ? true : false
      end
      alias valid_parameter? validattr?

      # As `validattr?`, which remembers its answers.
      def known_attribute?(name)
        @known_attributes[name] ||= validattr?(name)
      end

      def validproperty?(name)
        @validproperties[name.to_sym] || false
      end

      def validparameter?(name)
        @paramhash.key?(name.to_sym) || metaparam?(name)
      end

      def metaparams
        METAPARAMETERS
      end

      def eachmetaparam(&block)
        METAPARAMETERS.each(&block)
      end

      def metaparam?(name)
        METAPARAMETERS.include?(name.to_sym)
      end

      def metaparamclass(name)
        name && Type.metaparameters[name.to_sym]
      end

      def paramdoc(name)
        @paramhash[name].doc
      end

      def relationship_params
        []
      end

      # The way in which titles set key attributes.
      def title_patterns
        case key_attributes.size
        when 0 then []
        when 1 then [[/(.*)/m, [[key_attributes.first]]]]
        else raise DevError, 'you must specify title patterns when there are two or more key attributes'
        end
      end

      def isomorphic?
        defined?(@isomorphic) ? !!@isomorphic : true
      end

      def validate(&block)
        define_method(:unsafe_validate, &block)
        define_method(:validate) { unsafe_validate unless deferred? }
      end

      # Relationships that follow from the values of a resource; a later definition for the same
      # type wins.
      AUTOMATIC.each do |kind|
        define_method("auto#{kind}") { |type, &block| automatic(kind)[type] = block }
        define_method("eachauto#{kind}") { |&block| automatic(kind).each { |type, code| block.call(type, code) } }
      end

      def automatic(kind)
        ((@automatic ||= {})[kind] ||= {})
      end

      # The targets that it applies to.

      def apply_to
        @apply_to ||= :host
      end

      def apply_to_host
        @apply_to = :host
      end

      def apply_to_device
        @apply_to = :device
      end

      def apply_to_all
        @apply_to = :both
      end

      def can_apply_to(target)
        [target == :device ? :device : :host, :both].include?(apply_to)
      end

      # Providers.

      def provide(name, options = {}, &block)
        name = name.to_sym
        parent = options[:parent]
        parent = parent_provider(parent) unless parent.nil? || parent.is_a?(Class)
        made = Class.new(parent || Provider)
        made.initvars
        made.name = name
        made.resource_type = options[:resource_type] || self
        settings = options.reject { |key, _| %i[parent resource_type].include?(key) }
        settings.each { |key, value| made.public_send("#{key}=", value) if made.singleton_class.method_defined?("#{key}=") }
        made.include(feature_module)
        made.extend(feature_module)
        providify
        provider_hash[name] = made
        Ordain::Types.constant(self, "Provider#{name.to_s.capitalize}", made)
        made.class_eval(&block) if block
        made
      end

      def unprovide(name)
        provider_hash.delete(name.to_sym)
      end

      def provider_hash
        @provider_hash ||= {}
      end

      # The provider of a name. While the files of the providers are being run, they may need each other.
      def provider(name)
        name = name.to_sym
        return provider_hash[name] if provider_hash.key?(name)

        load_providers
        Ordain::Types.load_provider(self.name, name) unless provider_hash.key?(name)
        provider_hash[name]
      end

      def providers
        provider_hash.keys
      end

      def validprovider?(name)
        provider(name)&.suitable?
      end

      def suitableprovider
        load_providers
        provider_hash.values.select(&:suitable?)
      end

      def defaultprovider
        @defaultprovider ||= begin
          found = suitableprovider
          defaults = found.select(&:default?)
          defaults = found if defaults.empty?
          best = defaults.map(&:specificity).max
          defaults.find { |one| one.specificity == best }
        end
      end

      # Runs the files of the providers once.
      def load_providers
        raise @provider_error if @provider_error
        return if @providers_loaded || name.nil?

        @providers_loaded = true
        Ordain::Types.load_providers(name)
      rescue Puppet::Error => e
        # Each resource of the type has the error.
        @provider_error = e
        raise
      end

      def providify
        return if @paramhash.key?(:provider)

        made = newparam(:provider) do
          desc <<-TEXT
        The specific backend to use for this `#{to_s_of_type}`
        resource. You will seldom need to specify this --- Puppet will usually
        discover the appropriate provider for your platform.
          TEXT
          validate { |given| check_provider(given) }
          munge { |given| take_provider(given) }
          defaultto { @resource.class.defaultprovider&.name }
        end
        made.parenttype = self
      end

      def instances
        []
      end

      # `newpackage` and similar methods create a resource.
      def method_missing(name, *args, &block)
        match = name.to_s.match(/\Anew(\w+)\z/)
        match && match[1] == self.name.to_s ? new(*args, &block) : super
      end

      def respond_to_missing?(name, include_private = false)
        name.to_s == "new#{self.name}" || super
      end

      def to_s
        name ? "Puppet::Type::#{name.to_s.capitalize}" : super
      end

      private

      def parent_provider(name)
        provider(name) or raise DevError, "Could not find parent provider #{name} of #{self.name}"
      end

      def attribute(name, parent, constant, settings, block)
        if @parameters && @parameters.size + @properties.size >= MOST_ATTRIBUTES
          raise DevError, "Class #{self.name} has more than #{MOST_ATTRIBUTES} attributes"
        end

        made = Class.new(parent)
        made.name = name
        made.element = self
        made.initvars
        made.extend(OfProvider) if name == :provider
        (settings || {}).each { |key, value| made.public_send("#{key}=", value) if made.respond_to?("#{key}=") }
        Ordain::Types.constant(self, constant, made)
        made.class_eval(&block) if block
        made
      end

      def question(name, options)
        define_method("#{name}?") { [true, :true].include?(self[name]) } if options[:boolean]
      end
    end

    # The data of the parameter `provider` about its type.
    module OfProvider
      attr_accessor :parenttype

      def self.extended(made)
        made.include(Choice)
      end

      def to_s_of_type
        element.name
      end

      def doc
        return super unless parenttype

        listed = parenttype.providers.sort_by(&:to_s).map do |name|
          markdown_definitionlist(name, scrub(parenttype.provider(name).doc))
        end
        "#{scrub(@doc)}Available providers are:\n\n#{listed.join}"
      end

      # The choice of a provider.
      module Choice
        def check_provider(given)
          given = given[0] if given.is_a?(Array)
          given = given.class.name if given.is_a?(Provider)
          return if @resource.class.provider(given)

          raise ArgumentError, "Invalid #{@resource.class.name} provider '#{given}'"
        end

        def take_provider(given)
          given = given[0] if given.is_a?(Array)
          given = given.to_sym if given.is_a?(String)
          @resource.provider = given
          given.is_a?(Provider) ? given.class.name : given
        end
      end
    end

    initvars

    attr_reader :original_parameters, :provider
    attr_accessor :catalog, :file, :line, :exported, :virtual
    attr_writer :title, :noop

    # A resource of a declaration, or of a hash that Ruby code gives.
    def initialize(given)
      given = Ordain::Given.of(self.class, given) unless given.is_a?(Ordain::Given)
      @parameters = {}
      self.class.load_providers
      @title, @catalog, @file, @line = given.title, given.catalog, given.file, given.line
      @tags = given.tags
      values = given.values.dup
      @original_parameters = values.dup
      name = name_var
      self[name] = values.delete(name) if name && values.key?(name)
      set_default(:provider)
      set_parameters(values)
      validate_resource
      given.sensitive.each { |one| parameter(one)&.sensitive = true }
    end

    def validate_resource
      validate if respond_to?(:validate)
    rescue Puppet::Error, ArgumentError => e
      raise ordain_error(ResourceError.new("Validation of #{ref} failed: #{e}"), e)
    end

    def [](name)
      # Providers ask for values in their innermost loops.
      known = @parameters[name]
      return known.value if known
      return nil if name.is_a?(Symbol) && name != :name && self.class.known_attribute?(name)

      name = name.to_sym
      fail("Invalid parameter #{name}(#{name.inspect})") unless self.class.known_attribute?(name)
      name = name_var || name if name == :name
      @parameters[name]&.value
    end

    def []=(name, value)
      name = name.to_sym
      fail("no parameter named '#{name}'") unless self.class.validattr?(name)
      name = name_var || name if name == :name
      raise Puppet::Error, "Got nil value for #{name}" if value.nil?

      made = newattr(name) or return
      begin
        made.value = value
      rescue Puppet::Error, ArgumentError => e
        raise ordain_error(ResourceError.new("Parameter #{name} failed on #{ref}: #{e}"), e, name)
      end
    end

    def newattr(name)
      name = name.name if name.is_a?(Class)
      kind = self.class.attrclass(name)
      raise Puppet::Error, "Resource type #{self.class.name} does not support parameter #{name}" unless kind
      return nil if provider && !provider.class.supports_parameter?(kind)

      @parameters[name] ||= kind.new(resource: self)
    end

    def set_default(name)
      kind = self.class.attrclass(name)
      return if kind.nil? || !kind.method_defined?(:default) || @parameters.key?(kind.name)

      made = newattr(kind.name) or return
      value = made.default
      value ? made.value = value : @parameters.delete(made.name)
    end

    def name_var
      @name_var = self.class.key_attributes.size == 1 && self.class.key_attributes.first if @name_var.nil?
      @name_var
    end

    def name
      self[:name]
    end

    def title
      @title || self[:name]
    end

    def type
      self.class.name
    end

    def ref
      "#{type.to_s.capitalize}[#{title}]"
    end
    alias to_s ref

    def path
      "/#{ref}"
    end

    def pathbuilder
      [ref]
    end

    def parameter(name)
      @parameters[name.to_sym]
    end

    def parameters
      @parameters.dup
    end

    def property(name)
      found = @parameters[name.to_sym]
      found if found.is_a?(Property)
    end

    def properties
      self.class.properties.filter_map { |kind| @parameters[kind.name] }
    end

    def parameters_with_value
      self.class.allattrs.filter_map { |name| parameter(name) }
    end

    def eachparameter(&block)
      parameters_with_value.each(&block)
    end
    alias each eachparameter

    def eachproperty(&block)
      properties.each(&block)
    end

    def propertydefined?(name)
      @parameters.key?(name.to_sym)
    end

    def value(name)
      @parameters[name.to_sym]&.value
    end

    def should(name)
      property(name)&.should
    end

    def delete(name)
      @parameters.delete(name.to_sym)
    end

    def to_hash
      @parameters.transform_values(&:value)
    end

    def managed?
      @managed ||= properties.any? { |one| one.should && !one.class.unmanaged }
    end

    def deleting?
      should(:ensure) == :absent
    end

    def isomorphic?
      self.class.isomorphic?
    end

    def uniqueness_key
      self.class.key_attributes.sort_by(&:to_s).map { |name| self[name] }
    end

    def provider=(given)
      if given.is_a?(Provider)
        @provider = given
        given.resource = self
      else
        kind = self.class.provider(given) or
          raise ArgumentError, "Could not find #{given} provider of #{self.class.name}"
        @provider = kind.new(self)
      end
    end

    def suitable?
      provider.nil? || provider.class.suitable?
    end

    def noop
      @noop || false
    end
    alias noop? noop

    def tags
      @tags ||= Set.new
    end

    def tag(*names)
      names.flatten.each { |name| tags << name.to_s.downcase }
    end

    def tagged?(*names)
      names.flatten.any? { |name| tags.include?(name.to_s.downcase) }
    end

    def retrieve
      {}
    end

    def log(message)
      Puppet.notice(message)
    end

    def parent
      nil
    end

    def virtual?
      !!virtual
    end

    def exported?
      !!exported
    end

    def finish; end

    def <=>(other)
      other.respond_to?(:ref) ? ref <=> other.ref : nil
    end

    # Whether a value is only known on the node.
    def deferred?
      parameters_with_value.any? { |one| Ordain.deferred?(one.value) }
    end

    private

    def set_parameters(values)
      missing = []
      (self.class.allattrs + values.keys).uniq.each do |name|
        values.key?(name) ? self[name] = values[name] : missing << name
      rescue ArgumentError, Puppet::Error, TypeError
        raise
      rescue StandardError => e
        raise ordain_error(DevError.new("Could not set #{name} on #{self.class.name}: #{e}"), e, name)
      end
      missing.each { |name| set_default(name) }
    end

    def ordain_error(error, cause, attribute = nil)
      error.extend(Ordain::OfAttribute)
      error.attribute = attribute || (cause.attribute if cause.is_a?(Ordain::OfAttribute))
      error.set_backtrace(cause.backtrace)
      error
    end

    public

    newmetaparam(:noop) do
      newvalues(:true, :false)
      munge { |value| @resource.noop = value.to_s == 'true' }
    end
    newmetaparam(:loglevel) do
      defaultto :notice
      newvalues(*LEVELS, :verbose)
      munge { |value| value.to_s == 'verbose' ? :info : super(value) }
    end
    newmetaparam(:tag) do
      munge do |given|
        given = [given].flatten(1)
        @resource.tag(*given)
        given
      end
    end
    (METAPARAMETERS - %i[noop loglevel tag]).each { |name| newmetaparam(name) { nil } }
  end
end

module Puppet
  # Types that others derive attributes from.
  %w[File User Group Package Service Exec].each do |name|
    made = Class.new(Type)
    made.instance_variable_set(:@name, name.downcase.to_sym)
    %w[Owner Group Mode Checksum Ensure Content].each { |part| made.const_set(part, Class.new(Property)) }
    Type.const_set(name, made)
  end

  Type::File::Mode.class_eval do
    validate do |value|
      fail "The file mode specification must be a string, not '#{value.class.name}'" unless value.is_a?(String)
      fail "The file mode specification is invalid: #{value.inspect}" unless Util::SymbolicFileMode.valid?(value)
    end

    munge { |value| Util::SymbolicFileMode.normal(value) }
  end
end
