# Resource types of modules: `Puppet::Type.newtype` and `Puppet::ResourceApi.register_type`. A compile
# asks for the names of their attributes and for what a title says of them.
module Puppet
  class Type
    include Util
    include Util::Errors
    include Util::Logging

    METAPARAMETERS = %i[noop schedule audit loglevel alias tag require subscribe before notify stage export consume].freeze
    AUTOMATIC = %i[require before subscribe notify].freeze
    @types = {}

    class << self
      attr_reader :name, :types
      attr_accessor :doc

      def inherited(made)
        super
        made.instance_variable_set(:@attributes, (@attributes || {}).dup)
      end

      def newtype(name, _options = {}, &block)
        name = name.to_s.downcase.to_sym
        made = Class.new(Type)
        made.instance_variable_set(:@name, name)
        Type.types[name] = made
        Type.set_constant(name, made)
        made.class_eval(&block) if block
        made
      end

      # The type of a name; of one that only the compile knows, its bare outline.
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

      def set_constant(name, made)
        constant = name.to_s.split('_').map(&:capitalize).join
        Type.send(:remove_const, constant) if Type.const_defined?(constant, false)
        Type.const_set(constant, made)
      rescue NameError
        nil
      end

      def attributes
        @attributes ||= {}
      end

      def newparam(name, options = {}, &block)
        attribute(name, options, Parameter, block)
      end

      def newproperty(name, options = {}, &block)
        made = attribute(name, options, Property, block)
        made.array_matching ||= options[:array_matching]
        made
      end
      alias newcheck newparam
      alias newstate newproperty

      def newmetaparam(name, options = {}, &block)
        attribute(name, options, Parameter, block)
      end

      def ensurable(&block)
        newproperty(:ensure, parent: Property::Ensure) do
          block ? class_eval(&block) : defaultvalues
        end
      end

      def ensurable?
        attributes.key?(:ensure)
      end

      def key_attributes
        attributes.values.select { |one| !(one <= Property) && (one.isnamevar? || one.name == :name) }.map(&:name)
      end

      def key_attribute_parameters
        key_attributes.map { |name| attributes[name] }
      end

      def namevar
        key_attributes.size == 1 ? key_attributes.first : :name
      end

      # How titles give the values of key attributes.
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

      AUTOMATIC.each do |kind|
        define_method("auto#{kind}") { |type, &block| (automatic[kind] ||= []) << [type, block] }
        define_method("eachauto#{kind}") { |&block| (automatic[kind] || []).each { |type, code| block.call(type, code) } }
      end

      def automatic
        @automatic ||= {}
      end

      def validate(&block)
        define_method(:unsafe_validate, &block)
      end

      def validattr?(name)
        attributes.key?(name.to_sym) || METAPARAMETERS.include?(name.to_sym) || name.to_sym == :provider
      end
      alias valid_parameter? validattr?

      def validproperty?(name)
        attributes[name.to_sym]&.<=(Property) ? true : false
      end

      def validparameter?(name)
        validattr?(name) && !validproperty?(name)
      end

      def attrclass(name)
        attributes[name.to_sym]
      end
      alias paramclass attrclass
      alias propertybyname attrclass

      def attrtype(name)
        return :meta if METAPARAMETERS.include?(name.to_sym)

        validproperty?(name) ? :property : :param
      end

      def allattrs
        key_attributes | (parameters & [:provider]) | properties.map(&:name) | parameters | METAPARAMETERS
      end

      def properties
        attributes.values.select { |one| one <= Property }
      end

      def validproperties
        properties.map(&:name)
      end

      def parameters
        attributes.values.reject { |one| one <= Property }.map(&:name)
      end

      def metaparams
        METAPARAMETERS
      end

      def metaparam?(name)
        METAPARAMETERS.include?(name.to_sym)
      end

      def metaparamclass(name)
        metaparam?(name) ? Parameter : nil
      end

      def relationship_params
        []
      end

      def desc(text)
        @doc = text
      end

      def feature(*); end
      def apply_to(*); end
      def apply_to_all; end
      def apply_to_host; end
      def apply_to_device; end

      def can_apply_to(*)
        true
      end

      # Providers do not run here.
      def provide(*)
        Provider
      end

      def provider(*)
        nil
      end

      def providers
        []
      end
      alias suitableprovider providers

      def defaultprovider
        nil
      end

      def instances
        []
      end

      def to_s
        name ? "Puppet::Type::#{name.to_s.capitalize}" : super
      end

      private

      def attribute(name, options, base, block)
        name = name.to_sym
        made = Class.new(options[:parent] || base)
        made.name = name
        made.element = self
        made.isnamevar if options[:namevar]
        made.isrequired if options[:required]
        boolean_question(name) if options[:boolean]
        attributes[name] = made
        made.class_eval(&block) if block
        made
      end

      def boolean_question(name)
        define_method("#{name}?") { %w[true yes].include?(self[name].to_s) }
      end
    end

    attr_reader :title, :original_parameters, :catalog

    def initialize(title, values)
      @title = title
      @original_parameters = values
      @values = {}
      values.each { |name, value| self[name] = value unless value.nil? }
    end

    def [](name)
      name = name.to_sym
      name = self.class.namevar if name == :name && !self.class.attributes.key?(:name)
      @values[name]&.value
    end
    alias value []
    alias should []

    def []=(name, value)
      name = name.to_sym
      attribute = self.class.attributes[name]
      return @values[name] = Struct.new(:value).new(value) unless attribute

      made = attribute.new(resource: self)
      @values[name] = made
      made.take(value)
    end

    # Gives attributes without a value their defaults.
    def set_defaults
      self.class.attributes.each do |name, attribute|
        next if @values.key?(name) || !attribute.method_defined?(:default)

        value = attribute.new(resource: self).default
        self[name] = value unless value.nil?
      end
    end

    def unsafe_validate; end

    def parameter(name)
      @values[name.to_sym]
    end
    alias property parameter

    def parameters
      @values.values
    end

    def to_hash
      @values.transform_values(&:value)
    end

    def name
      self[self.class.namevar] || title
    end

    def ref
      "#{type.to_s.split('_').map(&:capitalize).join('_')}[#{title}]"
    end
    alias to_s ref
    alias path ref

    def type
      self.class.name
    end

    def provider
      nil
    end

    def uniqueness_key
      self.class.key_attributes.sort_by(&:to_s).map { |name| self[name] }
    end
  end

  # Types of the Resource API: plain data.
  module ResourceApi
    class << self
      def register_type(definition)
        raise DevError, 'requires a Hash as definition' unless definition.is_a?(Hash)
        raise DevError, 'requires a `:name`' unless definition.key?(:name)
        raise DevError, 'requires `:attributes`' unless definition.key?(:attributes)

        Type.newtype(definition[:name]) { ResourceApi.fill(self, definition) }
      end

      def fill(type, definition)
        definition[:attributes].each do |name, options|
          behaviours = Array(options[:behaviour] || options[:behavior])
          parameter = !(behaviours & %i[namevar parameter]).empty?
          made = type.public_send(parameter ? :newparam : :newproperty, name)
          made.isnamevar if behaviours.include?(:namevar)
        end
        type.newparam(:name) if definition[:attributes].values.none? { |options| namevar?(options) }
        patterns = definition[:title_patterns]
        type.define_singleton_method(:title_patterns) { ResourceApi.patterns(patterns) } if patterns
        type.instance_variable_set(:@definition, definition)
      end

      def patterns(given)
        given.map do |one|
          pattern = one[:pattern]
          [pattern, pattern.names.map { |name| [name.to_sym] }]
        end
      end

      def load_provider(*); end
      def register_transport(*); end

      private

      def namevar?(options)
        Array(options[:behaviour] || options[:behavior]).include?(:namevar)
      end
    end

    class SimpleProvider; end

    module Transport
      class Wrapper; end

      def self.register(*); end
    end
  end
end

module Ordain
  # What the compile asks of resource types.
  module Types
    class << self
      def load(name, path, text)
        Puppet::Type.types.delete(name.to_sym)
        Ordain.load_text(path, text)
        made = Puppet::Type.types[name.to_sym]
        raise Puppet::Error, "the code of #{path} does not make the type '#{name}'" unless made

        {
          'attributes' => made.attributes.keys.map(&:to_s),
          'namevars' => made.key_attributes.map(&:to_s),
          'isomorphic' => made.isomorphic?
        }
      end

      # The values that a title gives, by the first pattern that fits.
      def parse_title(name, title)
        made = Puppet::Type.type(name) or raise Puppet::Error, "there is no type '#{name}'"
        made.title_patterns.each do |pattern, attributes|
          match = pattern.match(title) or next
          pairs = attributes.zip(match[1..])
          return pairs.to_h { |(attribute, code), text| [attribute.to_s, code ? code.call(text) : text] }
        end
        raise Puppet::Error, "No set of title patterns matched the title \"#{title}\"."
      end

      # A resource as its type sees it: munged values and automatic relationships.
      def examine(name, title, values)
        made = Puppet::Type.type(name) or raise Puppet::Error, "there is no type '#{name}'"
        resource = made.new(title, parse_title(name, title).merge(values))
        resource.set_defaults
        resource.unsafe_validate
        {
          'values' => resource.to_hash.to_h { |key, value| [key.to_s, Wire.pack(value)] },
          'automatic' => Puppet::Type::AUTOMATIC.to_h { |kind| [kind.to_s, automatic(resource, kind)] }
        }
      end

      # The type of a module, or the outline of one that has no file.
      def find(name)
        Ordain.info['libs'].each do |lib|
          path = File.join(lib, 'puppet/type', "#{name}.rb")
          next unless File.file?(path)

          Ordain.load_text(path, File.read(path, encoding: 'UTF-8'))
          return Puppet::Type.types[name]
        end
        outline(name)
      end

      private

      def outline(name)
        known = Ordain.ask('type_outline', name.to_s) or return nil
        made = Class.new(Puppet::Type)
        made.instance_variable_set(:@name, name)
        made.newparam(known['namevar']) { isnamevar }
        known['attributes'].each { |one| made.newproperty(one) unless one == known['namevar'] }
        made
      end

      def automatic(resource, kind)
        made = resource.class
        (made.automatic[kind] || []).flat_map do |type, code|
          names = resource.instance_eval(&code)
          [names].flatten.compact.map { |one| one.respond_to?(:ref) ? one.ref : "#{type.to_s.capitalize}[#{one}]" }
        end
      end
    end
  end

  # Types that others derive attributes from.
  %w[File User Group Package Service Exec].each do |name|
    made = Class.new(Puppet::Type)
    made.instance_variable_set(:@name, name.downcase.to_sym)
    %w[Owner Group Mode Checksum Ensure Content].each { |part| made.const_set(part, Class.new(Puppet::Property)) }
    Puppet::Type.const_set(name, made)
  end
end
