module Ordain
  # The declaration of a resource.
  class Given
    attr_accessor :title, :values, :catalog, :file, :line, :tags, :sensitive

    def initialize(title, values, catalog: nil, tags: nil, sensitive: [])
      @title, @values, @catalog, @sensitive = title, values, catalog, sensitive
      @tags = Set.new(tags || [])
    end

    # A hash, or a resource, that Ruby code makes a resource of.
    def self.of(kind, given)
      values = given.to_hash.to_h { |name, value| [name.to_sym, value] }
      title = given.is_a?(Hash) ? values.delete(:title) : given.title
      title ||= values[:name] || values[kind.namevar]
      raise Puppet::Error, 'Title or name must be provided' unless title

      new(title, Types.title_values(kind, title).merge(values), catalog: values.delete(:catalog))
    end
  end

  # An error about an attribute of a resource.
  module OfAttribute
    attr_accessor :attribute
  end

  # The finished catalog, as types look resources up in it.
  class Catalog
    attr_reader :resources

    def initialize
      @resources, @index, @numbers = [], {}, {}.compare_by_identity
    end

    def add(number, resource, names)
      @resources << resource
      @numbers[resource] = number
      names.each { |name| @index[key(resource.type, name)] ||= resource }
    end

    def number(resource)
      @numbers[resource]
    end

    def resource(type, title = nil)
      match = title.nil? && type.to_s.match(/\A([^\[]+)\[(.*)\]\z/m)
      type, title = match[1], match[2] if match
      type = type.name if type.is_a?(Class)
      @index[key(type, title)]
    end

    def resource_refs
      @resources.map(&:ref)
    end

    def resource_keys
      @resources.map { |one| [one.type.to_s, one.title] }
    end

    def host_config?
      true
    end

    def version
      0
    end

    def environment
      Ordain.info['environment']
    end
    alias environment_instance environment

    private

    def key(type, title)
      type = type.to_s.downcase
      title = title.to_s
      title = title.downcase.delete_prefix('::') if type == 'class'
      title = title.chomp('/') if type == 'file' && title.size > 1
      [type, title]
    end
  end

  class << self
    # Whether a value is computed on the node only.
    def deferred?(value)
      value.respond_to?(:held) && value.to_s.start_with?('Deferred')
    end

    # A fact of the node.
    def fact(name)
      Facter.value(name)
    end
  end

  # Requests of the compile about resource types.
  module Types
    # No pattern of a type fits a title.
    class UnmatchedTitle < Puppet::Error; end

    # The code of a file does not make its type. Messages show the class of its parent.
    class UndefinedType < Puppet::Error
      def self.name
        superclass.name
      end
    end

    class << self
      # Gives a class a name of its own.
      def constant(holder, name, made)
        holder.send(:remove_const, name) if holder.const_defined?(name, false)
        holder.const_set(name, made)
      rescue NameError
        nil
      end

      def load(name, path, text)
        own_library(path)
        before = Puppet::Type.types.delete(name.to_sym)
        Ordain.load_text(path, text)
        # Text that was already evaluated is not evaluated again.
        made = Puppet::Type.types[name.to_sym] ||= before
        raise UndefinedType, "the code of #{path} does not make the type '#{name}'" unless made

        {
          'attributes' => made.attributes.keys.map(&:to_s),
          'namevars' => made.key_attributes.map(&:to_s),
          'isomorphic' => made.isomorphic?
        }
      end

      # The library directory of a type's file, even if its module has an invalid name.
      def own_library(path)
        lib = File.expand_path(path)[%r{\A(.+)/puppet/type/[^/]+\.rb\z}, 1] or return
        libs = Ordain.info['libs'].map { |one| File.expand_path(one) }
        return if libs.include?(lib) || Ordain.puppets?(lib)

        Ordain.info['libs'] << lib
        $LOAD_PATH << lib unless $LOAD_PATH.include?(lib)
      end

      # The values from a title, by the first pattern that matches; nil if none does.
      def parse_title(name, title)
        made = Puppet::Type.type(name) or raise Puppet::Error, "there is no type '#{name}'"
        return nil if made.key_attributes.empty?

        title_values(made, title).transform_keys(&:to_s)
      rescue UnmatchedTitle
        nil
      end

      def title_values(kind, title)
        kind.title_patterns.each do |pattern, attributes|
          match = pattern.is_a?(Regexp) ? pattern.match(title.to_s) : Regexp.new(pattern).match(title.to_s)
          next unless match

          pairs = attributes.zip(match[1..])
          return pairs.to_h { |(attribute, code), text| [attribute.to_sym, code ? code.call(text) : text] }
        end
        return {} if kind.key_attributes.empty?

        raise UnmatchedTitle, "No set of title patterns matched the title \"#{title}\"."
      end

      # The parts of the documentation of a type and its attributes.
      def model(name)
        made = Puppet::Type.types[name.to_sym]
        made.load_providers
        patterns = made.title_patterns.map do |pattern, attributes|
          names = attributes.map do |one|
            raise Puppet::Error, 'title patterns that use procs are not supported.' if one.size > 1

            one.first&.to_s
          end
          [regexp(pattern), names]
        end
        {
          'doc' => made.doc.strip,
          'properties' => made.properties.map { |one| attribute(one) },
          'parameters' => made.parameters.map { |one| attribute(made.paramclass(one)) },
          'patterns' => patterns,
          'isomorphic' => made.isomorphic?
        }
      end

      # The type of a module, or an outline of one without a file.
      def find(name)
        return Puppet::Type.types[name] if load_file("puppet/type/#{name}.rb") && Puppet::Type.types[name]

        outline(name)
      end

      # Runs the files of the providers of a type.
      def load_providers(name)
        Ordain.info['libs'].each do |lib|
          Dir.glob(File.join(lib, 'puppet/provider', name.to_s, '*.rb')).sort.each { |path| load_provider_file(name, path) }
        end
      end

      # Runs the file of one provider.
      def load_provider(type, name)
        path = Ordain.info['libs'].map { |lib| File.join(lib, 'puppet/provider', type.to_s, "#{name}.rb") }
        path = path.find { |file| File.file?(file) } || original_provider(type, name) or return
        load_provider_file(type, path)
      end

      # Whether provider files are being loaded, which derive from many parts of Puppet that do not
      # exist here.
      def loading?
        @loading
      end

      # Creates all resources of a catalog and returns the results of their types: values, relations
      # to others by number, or errors.
      def examine(list)
        catalog = Catalog.new
        made = list.map { |number, *declared| [number, *make(catalog, number, *declared)] }
        made.filter_map do |number, resource, error|
          next [number, { 'error' => error }] if error
          next unless resource

          relations = Ordain.silently { automatic(resource, catalog) }
          [number, { 'values' => values(resource), 'automatic' => relations }]
        rescue StandardError, ScriptError => e
          [number, { 'error' => Ordain.describe(e) }]
        end
      end

      private

      # A provider of an installed Puppet, which a compile does not need.
      def original_provider(_type, _name)
        nil
      end

      def load_provider_file(type, path)
        loading, @loading = @loading, true
        Ordain.load_text(path, File.read(path, encoding: 'UTF-8'))
      rescue StandardError, ScriptError => e
        short = "puppet/provider/#{type}/#{File.basename(path, '.rb')}"
        error = Puppet::Error.new("Could not autoload #{short}: #{load_failure(e)}")
        error.set_backtrace(e.backtrace)
        raise error
      ensure
        @loading = loading
      end

      # The message of an error. The provider process also knows how to install a missing library.
      def load_failure(error)
        helps = error.is_a?(LoadError) && defined?(Ordain::MissingLibrary)
        helps ? Ordain::MissingLibrary.message(error) : error.message
      end

      def load_file(short)
        lib = Ordain.info['libs'].find { |one| File.file?(File.join(one, short)) } or return false
        path = File.join(lib, short)
        Ordain.load_text(path, File.read(path, encoding: 'UTF-8'))
        true
      end

      def outline(name)
        known = Ordain.ask('type_outline', name.to_s) or return nil
        constant = name.to_s.capitalize
        made = Puppet::Type.const_get(constant) if Puppet::Type.const_defined?(constant, false)
        unless made
          made = Class.new(Puppet::Type)
          made.instance_variable_set(:@name, name)
          constant(Puppet::Type, constant, made)
        end
        made.newparam(known['namevar'], namevar: true)
        (known['attributes'] - [known['namevar']]).each do |one|
          one == 'provider' ? provider_of(made) : made.newproperty(one, array_matching: :all)
        end
        made
      end

      # The default provider of resources of Puppet's own types.
      def provider_of(type)
        type.newparam(:provider) { defaultto { DefaultProviders.of(type.name) } }
      end

      def regexp(pattern)
        return pattern.to_s unless pattern.is_a?(Regexp)

        pattern.options.zero? ? pattern.inspect : "/#{pattern}/"
      end

      def attribute(one)
        words, patterns = [], []
        one.value_collection.each do |value|
          value.regex? ? patterns << regexp(value.name) : words.push(value.name.to_s, *value.aliases.map(&:to_s))
        end
        {
          'name' => one.name.to_s, 'doc' => one.doc.strip, 'words' => words, 'patterns' => patterns,
          'namevar' => !!one.isnamevar?
        }
      end

      # A resource of a type in Ruby with its errors. Resources of other types only have data that
      # can be looked up.
      def make(catalog, number, type, title, given, ruby, sensitive, tags)
        values = given.to_h { |name, value| [name.to_sym, Wire.unpack(value)] }
        kind = ruby ? Puppet::Type.type(type) : known_outline(type)
        unless ruby
          catalog.add(number, Plain.new(type, title, values, kind), [title, values[kind&.namevar]].compact)
          return nil
        end
        declared = Given.new(title, title_values(kind, title).merge(values), catalog: catalog, tags: tags, sensitive: sensitive.map(&:to_sym))
        resource = kind.new(declared)
        catalog.add(number, resource, [title, resource.name].compact)
        [resource, nil]
      rescue StandardError, ScriptError => e
        [nil, Ordain.describe(e)]
      end

      def known_outline(type)
        return nil if type.include?('::') || type.casecmp?('class')

        @outlines ||= {}
        @outlines.fetch(type) { @outlines[type] = Puppet::Type.type(type) }
      end

      # The values of the type's own attributes.
      def values(resource)
        own = resource.parameters.reject { |name, one| name == :provider || one.class.metaparam }
        own.to_h { |name, one| [name.to_s, Wire.pack(Wire.plain(one.value))] }
      end

      def automatic(resource, catalog)
        Puppet::Type::AUTOMATIC.flat_map do |kind|
          relations = []
          resource.class.public_send("eachauto#{kind}") do |type, code|
            [resource.instance_eval(&code)].flatten(1).compact.each do |one|
              one = catalog.resource(type, one) unless one.respond_to?(:ref) && catalog.number(one)
              number = one && catalog.number(one)
              relations << [kind.to_s, number] if number
            end
          end
          relations
        end
      end
    end
  end

  # A resource whose type is not written in Ruby: its declared values.
  class Plain
    attr_reader :type, :title, :kind

    def initialize(type, title, values, kind)
      @type, @title, @values, @kind = type.downcase.to_sym, title, values, kind
    end

    def [](name)
      name = name.to_sym
      name = kind.namevar if name == :name && kind
      @values.fetch(name) { name == kind&.namevar ? title : nil }
    end
    alias should []
    alias value []

    def name
      self[:name] || title
    end

    def ref
      "#{type.to_s.split('::').map(&:capitalize).join('::')}[#{title}]"
    end
    alias to_s ref

    def to_hash
      @values
    end

    def tags
      Set.new
    end

    def is_a?(other)
      super || (!kind.nil? && other.is_a?(Class) && kind <= other)
    end
    alias kind_of? is_a?

    def class
      kind || super
    end
  end
end
