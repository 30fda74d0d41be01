# Providers in execution: the commands that they run, and the reasons why one does not work on this machine.
module Puppet
  class Provider
    class << self
      def commands(given = {})
        given.each { |name, path| has_command(name, path) }
      end

      def has_command(name, path, &block)
        name = name.to_sym
        definition = CommandOptions.new
        definition.instance_eval(&block) if block
        confine(exists: path, for_binary: true) unless definition.optional
        @commands[name] = path
        command = Command.new(name, path, Util, Util::Execution,
                              failonfail: true, combine: true, custom_environment: definition.variables)
        create_class_and_instance_method(name) { |*args| command.execute(*args) }
      end

      def create_class_and_instance_method(name, &block)
        singleton_class.send(:define_method, name, &block) unless singleton_class.method_defined?(name)
        define_method(name) { |*args| self.class.public_send(name, *args) } unless method_defined?(name)
      end
      private :create_class_and_instance_method

      # The path of the program of a command; nil if it is not installed.
      def command(name)
        path = command_path(name.to_sym)
        raise DevError, "No command #{name} defined for provider #{self.name}" unless path

        which(path)
      end

      def command_path(name)
        @commands&.fetch(name, nil) || (superclass.command_path(name) if superclass.respond_to?(:command_path))
      end

      def execute(*args)
        Util::Execution.execute(*args)
      end

      def execpipe(*args, &block)
        Util::Execution.execpipe(*args, &block)
      end

      def confine(given = {}, &block)
        given = { true: block } if block && given.empty?
        @confines << given.dup
      end

      def confine_collection
        Confines.new(self)
      end

      # Whether it works on this machine, or with `false` why it does not.
      def suitable?(short = true)
        return confine_collection.summary unless short

        @confines.all? { |given| confine_holds?(given) }
      end

      # Why it does not work, as a sentence for people.
      def unsuitable_reason
        @confines.lazy.map { |given| confine_failure(given) }.find(&:itself)
      end

      def instances
        raise DevError, "To support listing resources of this type the '#{name}' provider needs to implement an " \
                        "'instances' class method returning the current set of resources. We recommend porting " \
                        'your module to the simpler Resource API instead: ' \
                        'https://puppet.com/search/docs?keys=resource+api'
      end

      def supports_parameter?(param)
        kind = param.is_a?(Class) ? param : resource_type.attrclass(param)
        raise DevError, "'#{param}' is not a valid parameter for #{resource_type.name}" unless kind

        features = kind.required_features
        features.nil? || !!satisfies?(*features)
      end

      private

      def confine_holds?(given)
        confine_failure(given).nil?
      end

      # The first condition of some that does not hold, in words.
      def confine_failure(given)
        binary = given[:for_binary]
        given.each do |kind, values|
          next if kind == :for_binary

          failure = condition_failure(kind.to_sym, values, binary)
          return failure if failure
        end
        nil
      end

      def condition_failure(kind, values, binary)
        list = values.is_a?(Array) ? values : [values]
        case kind
        when :exists then missing_file(list, binary)
        when :true then 'a condition of the provider does not hold' unless list.all? { |one| one.respond_to?(:call) ? one.call : one }
        when :false then 'a condition of the provider does not hold' if list.any? { |one| one.respond_to?(:call) ? one.call : one }
        when :any then 'no condition of the provider holds' unless list.any?
        when :feature then missing_feature(list)
        else fact_mismatch(kind, list)
        end
      end

      def missing_file(list, binary)
        path = list.find { |one| !(one && (binary ? which(one) : FileSystem.exist?(one))) } or return nil
        binary ? "the command '#{path}' is not installed" : "the file #{path} does not exist"
      end

      def missing_feature(list)
        name = list.find { |one| !Puppet.features.public_send("#{one}?") } or return nil
        library = Puppet.features.library(name)
        library ? MissingFeature.text(name, library) : "the feature '#{name}' is missing"
      end

      # A name that is a setting is compared with that, any other with the fact.
      def fact_mismatch(name, list)
        found = Puppet.settings.valid?(name) ? Puppet[name] : Facter.value(name)
        return nil if list.map { |one| one.to_s.downcase }.include?(found.to_s.downcase)

        "the fact '#{name}' is '#{found}', not #{list.map { |one| "'#{one}'" }.join(' or ')}"
      end
    end

    def execute(*args)
      Util::Execution.execute(*args)
    end

    def execpipe(*args, &block)
      Util::Execution.execpipe(*args, &block)
    end

    def name
      return @property_hash[:name] if @property_hash[:name]
      return resource.name if resource

      raise DevError, "No resource and no name in property hash in #{self.class.name} instance"
    end

    # How a command is called.
    class CommandOptions
      attr_reader :optional

      def is_optional
        @optional = true
      end

      def environment(values)
        variables.update(values)
      end

      def variables
        @variables ||= {}
      end
    end

    # A program that a provider runs under a name of its own.
    class Command
      attr_reader :name, :executable

      def initialize(name, executable, resolver, executor, options = {})
        @name, @executable, @resolver, @executor, @options = name, executable, resolver, executor, options
      end

      def execute(*args)
        found = @resolver.which(@executable) or raise MissingCommand, "Command #{@name} is missing"
        @executor.execute([found, *args], @options)
      end
    end

    # The conditions of a provider as a whole.
    class Confines
      def initialize(provider)
        @provider = provider
      end

      def confine(given)
        @provider.confine(given)
      end

      def valid?
        @provider.suitable?
      end

      def summary
        reason = @provider.unsuitable_reason
        reason ? { true: reason } : {}
      end
    end

    # The words for a feature whose library is missing.
    module MissingFeature
      def self.text(name, library)
        error = LoadError.new("cannot load such file -- #{library}")
        "the feature '#{name}' is missing (#{Ordain::MissingLibrary.message(error)})"
      end
    end
  end

  class Features
    # Features that Puppet itself defines.
    LIBRARIES = {
      'rrd' => 'RRD', 'ldap' => 'ldap', 'usershadow' => 'shadow', 'libshadow' => 'shadow', 'augeas' => 'augeas', 'ssh' => 'net/ssh',
      'msgpack' => 'msgpack', 'hiera_eyaml' => 'hiera/backend/eyaml/parser/parser', 'minitar' => 'archive/tar/minitar',
      'cfpropertylist' => 'cfpropertylist', 'pe_license' => 'pe_license', 'selinux' => 'selinux', 'zlib' => 'zlib',
      'openssl' => 'openssl', 'rexml' => 'rexml/document', 'json' => 'json', 'pson' => 'json'
    }.freeze
    OWN = {
      'posix' => -> { true }, 'syslog' => -> { true }, 'root' => -> { Process.uid.zero? },
      'microsoft_windows' => -> { false }, 'windows' => -> { false }, 'eventlog' => -> { false },
      'manages_symlinks' => -> { true }, 'bolt' => -> { false }, 'distribution' => -> { false }, 'cms' => -> { false },
      'directory_environments' => -> { true },
      'facter' => -> { true }, 'telnet' => -> { Features.loads?('puppet/util/network_device/transport/telnet') }
    }.freeze

    def initialize
      @results = {}
    end

    def method_missing(name, *)
      name.end_with?('?') ? available?(name.to_s.chomp('?')) : super
    end

    def library(name)
      @libraries&.fetch(name.to_s, nil) || LIBRARIES[name.to_s]
    end

    def add(name, options = {}, &block)
      libraries = Array(options[:libs])
      (@libraries ||= {})[name.to_s] = libraries.first if libraries.any?
      own[name.to_s] = block || proc { libraries.all? { |library| Features.loads?(library) } }
    end

    def load(*); end

    def unload(*); end

    private

    # Only programs that exist are remembered: the run itself may install the others.
    def available?(name)
      @results[name] ||= !!test_of(name)
    end

    # Modules that look into Puppet's own class know this name.
    def test(_name, options)
      Array(options[:libs]).all? { |library| Features.loads?(library) }
    end

    def test_of(name)
      load_definition(name) unless own.key?(name)
      return own[name].call if own.key?(name)
      return OWN[name].call if OWN.key?(name)

      LIBRARIES.key?(name) && Features.loads?(LIBRARIES[name])
    rescue LoadError
      false
    end

    # Modules define features in `puppet/feature/NAME.rb`.
    def load_definition(name)
      path = Ordain.own_library("puppet/feature/#{name}")
      ordain_load(path) if path
    end

    def ordain_load(path)
      Ordain.load_text(path, File.read(path, encoding: 'UTF-8'))
    end
  end
end

module Facter
  class << self
    private

    def facts
      Ordain.facts ||= {}
    end
  end
end
