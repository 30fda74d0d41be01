# The parts of a compile that Ruby code sees: scopes, resources, the catalog.
module Puppet
  class Resource
  end

  module Parser
    class Scope
      attr_reader :id

      @all = {}

      # Constant variables that code has read, by name.
      @constant = {}

      # Names that always refer to a variable of the top scope.
      OUTERMOST = /\A(?:::[^:]+|facts|trusted|server_facts)\z/

      class << self
        attr_reader :constant

        # Stores a variable of the top scope, which is set once. Lists and hashes that code may
        # change belong to the compile.
        def keep(name, value)
          return value unless name.match?(OUTERMOST)

          if value.frozen? then constant[name] = value
          elsif value.instance_of?(String) then constant[name] = value.dup
          end
          value
        end

        # The scope of this number.
        def of(id)
          @all[id] ||= new(id)
        end

        def forget
          @all.clear
          constant.clear
        end

        def true?(value)
          ![false, '', :undef, nil].include?(value)
        end
      end

      def initialize(id)
        @id = id
      end

      def lookupvar(name, _options = {})
        unless name.is_a?(String)
          raise ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string"
        end

        constant = Scope.constant
        if constant.key?(name)
          value = constant[name]
          return value.frozen? ? value : own(name, value.dup)
        end

        found, base, outer, reason = Ordain.ask('variable', id, name)
        return own(name, Scope.keep(name, Ordain::SharedValues.take(base, outer).first)) if found

        Ordain.missing_variable(name, reason)
      end

      # A variable's value. Code may change a text that it got before and read it again.
      def own(name, value)
        value.instance_of?(String) && !value.frozen? ? Ordain::SharedValues.text(id, name, value) : value
      end

      def [](name, options = {})
        lookupvar(name, options)
      end

      def setvar(name, value, _options = {})
        Ordain::SharedValues.settle(false)
        Ordain.ask('set', id, name.to_s, Ordain::SharedValues.give(value))
        Ordain::SharedValues.watch(value)
        value
      end

      def []=(name, value)
        setvar(name, value)
      end

      def exist?(name)
        Ordain.ask('exists_variable', id, name.to_s)[0]
      end
      alias bound? exist?

      def include?(name)
        Ordain.ask('exists_variable', id, name.to_s) == [true, true]
      end

      def to_hash(_recursive = true, _include_undef = false)
        values = Ordain::SharedValues.take(*Ordain.ask('variables', id))
        values.to_h { |name, value| [name, own(name, value)] }
      end

      # The arguments as a list; those of a hash are its pairs.
      def call_function(name, args, &block)
        Ordain.call_function(self, name, [*args], block)
      end

      def catalog
        compiler.catalog
      end

      def compiler
        @compiler ||= Compiler.new(self)
      end

      def environment
        Node::Environment.current
      end

      def find_hostclass(name)
        Puppet::Resource::TypeCollection.new(self).find_hostclass(name)
      end

      def find_definition(name)
        Puppet::Resource::TypeCollection.new(self).find_definition(name)
      end

      def findresource(type, title = nil)
        catalog.resource(type, title)
      end
      alias find_resource findresource

      def resource
        data = Ordain.ask('enclosing', id)
        data && Resource.of(data)
      end

      # The class or define with this body.
      def source
        Puppet::Resource::Type.new(Ordain.ask('module', id), resource)
      end

      def module_name
        source.module_name
      end

      def parent
        nil
      end
      alias inherited_scope parent
      alias enclosing_scope parent

      def tags
        resource&.tags || []
      end

      def function_names
        []
      end

      Puppet::LEVELS.each do |level|
        define_method(level) { |message = nil, &block| Puppet.public_send(level, message, &block) }
      end

      def class_scope(_class)
        nil
      end

      def is_topscope?
        id == Ordain.info['top']
      end

      def method_missing(name, *args, &block)
        function = name.to_s[/\Afunction_(.+)/, 1]
        return super unless function && Ordain.ask('exists', function)

        unless args[0].is_a?(Array)
          raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. ' \
                               'For example, function_example([1]) instead of function_example(1)'
        end
        Functions::Error.is4x(function) if Functions::NEWER.include?(function)

        call_function(function, args[0], &block)
      end

      def respond_to_missing?(name, include_private = false)
        function = name.to_s[/\Afunction_(.+)/, 1]
        function ? !!Ordain.ask('exists', function) : super
      end

      def to_s
        "Scope(#{resource})"
      end
      alias inspect to_s
    end

    # The position of code: its module and the surrounding definition.
    class Puppet::Resource::Type
      attr_reader :module_name

      def initialize(module_name, resource)
        @module_name, @resource = module_name, resource
      end

      def name
        @resource&.title.to_s.downcase
      end

      def type
        @resource&.type == 'Class' ? :hostclass : :definition
      end

      def to_s
        @resource.to_s
      end
    end

    class Compiler
      def initialize(scope)
        @scope = scope
      end

      # The scope of the site program.
      def topscope
        Scope.of(Ordain.info['top'])
      end

      def catalog
        @catalog ||= Puppet::Resource::Catalog.new(@scope)
      end

      def environment
        Node::Environment.current
      end

      def node
        @node ||= NodeOfCompile.new(@scope)
      end

      def findresource(*args)
        catalog.resource(*args)
      end

      def resources
        catalog.resources
      end

      def add_resource(scope, resource)
        Ordain.call_function(scope, 'create_resources', [resource.type.downcase, { resource.title => resource.given.transform_keys(&:to_s) }])
      end

      def evaluate_classes(classes, scope, _lazy = true)
        Ordain.call_function(scope, 'include', classes.is_a?(Hash) ? classes.keys : classes)
      end

      # As functions with a compiler parameter call it.
      def call_function(name, *args, &block)
        Ordain.call_function(@scope, name, args, block)
      end

      def type(text)
        Pops::Types::TypeParser.singleton.parse(text)
      end

      def evaluate_string(*)
        raise Puppet::Error, 'Ruby code cannot evaluate Puppet code here'
      end
    end

    class NodeOfCompile
      def initialize(scope)
        @scope = scope
      end

      def name
        Ordain.info['node']
      end
      alias certname name
      alias to_s name

      def environment
        Node::Environment.current
      end

      def facts
        Node::Facts.new(name, @scope.lookupvar('facts') || {})
      end

      def parameters
        @scope.to_hash.merge(facts.values)
      end

      def trusted_data
        @scope.lookupvar('trusted')
      end
    end

    # The catalog so far.
    class Puppet::Resource::Catalog
      def initialize(scope)
        @scope = scope
      end

      def resource(type, title = nil)
        type, title = Puppet::Resource.type_and_title(type, title)
        data = Ordain.ask('resource', type.to_s, title.to_s)
        data && Resource.of(data)
      end

      def resources
        Ordain.ask('resources').map { |data| Resource.of(data) }
      end

      def resource_keys
        resources.map { |found| [found.type, found.title] }
      end

      def resource_refs
        resources.map(&:to_s)
      end

      def classes
        resources.select { |found| found.type == 'Class' }.map { |found| found.title.downcase }
      end

      def tags
        Ordain.ask('tags')
      end

      def tagged?(*names)
        names.flatten.all? { |name| tags.include?(name.to_s) }
      end

      def environment
        Ordain.info['environment']
      end

      def add_resource(resource)
        @scope.compiler.add_resource(@scope, resource)
      end
    end
  end

  # A resource, or the reference to one.
  class Resource
    attr_accessor :type, :title, :file, :line, :virtual, :exported, :tags, :environment

    def initialize(type, title = nil, options = {})
      @type, @title = self.class.type_and_title(type, title)
      @parameters = {}
      @tags = options[:tags] || []
      (options[:parameters] || {}).each { |name, value| self[name] = value }
    end

    class << self
      # The type with capital letters and the title; of a reference, its parts.
      def type_and_title(type, title = nil)
        if title.nil? && type.respond_to?(:type_name)
          type, title = type.type_name, type.title
        elsif title.nil? && (match = type.to_s.match(/\A([^\[\]]+)\[(.+)\]\z/m))
          type, title = match[1], match[2]
        elsif type.is_a?(Resource)
          type, title = type.type, title || type.title
        end
        raise ArgumentError, "No title provided and #{type.inspect} is not a valid resource reference" if title.nil?

        type = type.to_s.delete_prefix('::').split('::').map(&:capitalize).join('::')
        title = title.to_s.delete_prefix('::').split('::').map(&:capitalize).join('::') if type == 'Class'
        [type, title]
      end

      # The name of a resource in capital letters.
      def of(data)
        made = allocate
        made.fill(data)
        made
      end
    end

    def fill(data)
      @type, @title = data['type'], data['title']
      @parameters = (data['parameters'] || {}).to_h { |name, value| [name.to_sym, Ordain::Wire.unpack(value)] }
      @virtual, @exported = data['virtual'], data['exported']
      @tags = data['tags'] || []
      @file, @line = data['file'], data['line']
    end

    def [](name)
      name = name.to_sym
      return title if name == :title || (name == :name && !@parameters.key?(:name))

      @parameters[name]
    end

    def []=(name, value)
      @parameters[name.to_sym] = value
    end

    def set_parameter(name, value = nil)
      self[name] = value
    end

    def key?(name)
      @parameters.key?(name.to_sym)
    end
    alias has_key? key?

    def each(&block)
      @parameters.each(&block)
    end

    def keys
      @parameters.keys
    end

    # The explicit parameters.
    def given
      @parameters.dup
    end
    alias parameters given

    # The parameters, including the one that defaults to the title.
    def to_hash
      { namevar => title }.merge(@parameters)
    end
    alias to_h to_hash

    def namevar
      outline = Ordain.ask('type_outline', type.downcase)
      outline ? outline['namevar'].to_sym : :name
    end

    def delete(name)
      @parameters.delete(name.to_sym)
    end

    def name
      self[:name]
    end

    def virtual?
      !!@virtual
    end

    def exported?
      !!@exported
    end

    def class?
      type == 'Class'
    end

    def ref
      "#{type}[#{title}]"
    end
    alias to_s ref

    def inspect
      "#{ref}#{to_hash.inspect}"
    end

    def tagged?(*names)
      names.flatten.any? { |name| tags.include?(name.to_s) }
    end

    def resource_type
      Puppet::Resource::TypeCollection.new(Ordain.global_scope).definition(type.downcase)
    end

    def environment
      Node::Environment.current
    end

    def ==(other)
      other.is_a?(Resource) && type == other.type && title == other.title
    end
    alias eql? ==

    def hash
      [type, title].hash
    end

    # The known classes and defines.
    class TypeCollection
      def initialize(scope)
        @scope = scope
      end

      def find_hostclass(name, _options = {})
        Ordain.ask('defined', 'class', name.to_s) ? Definition.new(:hostclass, name.to_s) : nil
      end
      alias hostclass find_hostclass

      def find_definition(name)
        Ordain.ask('defined', 'define', name.to_s) ? Definition.new(:definition, name.to_s) : nil
      end
      alias definition find_definition

      def environment
        Node::Environment.current
      end
    end

    Definition = Struct.new(:type, :name) do
      def to_s
        name
      end
    end
  end

  module Parser
    # A resource of the catalog.
    class Resource < Puppet::Resource
      class Param
        attr_accessor :name, :value

        def initialize(options = {})
          @name, @value = options[:name], options[:value]
        end
      end

      def scope
        Ordain.global_scope
      end
    end

    # Files of modules by `module/name`.
    module Files
      class << self
        def find_file(name, environment = nil)
          Files.find(name, 'files', environment)
        end

        def find_template(name, environment = nil)
          Files.find(name, 'templates', environment)
        end

        def find(name, folder, _environment = nil)
          return (File.exist?(name) ? name : nil) if name.start_with?('/')

          first, rest = name.split('/', 2)
          found = Node::Environment.current.module(first)
          path = found && rest && File.join(found.path, folder, rest)
          path && File.exist?(path) ? path : nil
        end
      end
    end
  end
end

module Ordain
  # A variable that is not there, read by Ruby code.
  def self.missing_variable(name, reason)
    text = "Undefined variable '#{name}'; #{reason}"
    case Puppet[:strict].to_s
    when 'error' then raise ArgumentError, text
    when 'warning' then Puppet.warn_once('undefined_variables', name, text)
    end
    nil
  end
end
