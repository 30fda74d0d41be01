# The parts of the module Puppet that functions use: errors, logs, settings.
require 'json'
require 'set'
require 'time'

module Puppet
  class Error < RuntimeError
    attr_accessor :original

    def initialize(message = nil, original = nil)
      super(message)
      @original = original
    end
  end

  class DevError < Error; end

  class ExternalFileError < Error
    attr_accessor :file, :line, :pos

    def initialize(message = nil, file = nil, line = nil, pos = nil, original = nil)
      file, original = nil, file if file.is_a?(Exception)
      super(message, original)
      @file, @line, @pos = file, line, pos
    end
  end

  class ParseError < ExternalFileError; end
  class ParseErrorWithIssue < ParseError; end
  class PreformattedError < ParseErrorWithIssue; end
  class ResourceError < ExternalFileError; end
  class MissingCommand < Error; end
  class ExecutionFailure < Error; end
  class HTTPError < Error; end

  module DataBinding
    class LookupError < PreformattedError; end
    class RecursiveLookupError < LookupError; end
  end

  # Settings by name: those of the compile, and those that code sets.
  class Settings
    # The settings whose values are symbols.
    SYMBOLS = %i[strict node_terminus catalog_terminus default_file_terminus certificate_revocation
                 storeconfigs_backend].freeze

    # A setting and its value.
    Setting = Struct.new(:name, :value) do
      alias_method :default, :value

      def to_s
        value.to_s
      end
    end

    # The values that an environment sees.
    Values = Struct.new(:settings) do
      def lookup(name)
        settings[name]
      end
      alias_method :interpolate, :lookup

      def include?(name)
        settings.include?(name)
      end
    end

    include Enumerable

    def [](name)
      name = name.to_sym
      case name
      when :environment then Ordain.info['environment']
      when :certname, :node_name_value then Ordain.info['node']
      when :modulepath then Ordain.info['modulepath'].join(':')
      else known(name)
      end
    end
    alias value_sym []

    def global_defaults_initialized?
      true
    end

    def value(name, _environment = nil, _bypass = false)
      self[name]
    end

    def values(_environment = nil, _section = nil)
      Values.new(self)
    end

    def []=(name, value)
      own[name.to_sym] = value
    end

    def include?(name)
      own.key?(name.to_sym) || given.key?(name.to_s)
    end
    alias valid? include?

    def setting(name)
      include?(name) ? Setting.new(name.to_sym, self[name]) : nil
    end

    def each_key(&block)
      (given.keys.map(&:to_sym) | own.keys).each(&block)
    end

    def each
      each_key { |name| yield name, setting(name) }
    end

    def to_h
      each_key.to_h { |name| [name, self[name]] }
    end
    alias to_hash to_h

    # Puppet's files and command line are not read. Settings of the compile count as defaults.
    def set_by_config?(*)
      false
    end

    def set_by_cli?(*)
      false
    end

    def set_locally?(name)
      own.key?(name.to_sym)
    end

    def method_missing(name, *args)
      include?(name) && args.empty? ? self[name] : super
    end

    def respond_to_missing?(name, include_private = false)
      include?(name) || super
    end

    private

    def own
      @own ||= {}
    end

    def given
      Ordain.info['settings']
    end

    def known(name)
      return own[name] if own.key?(name)

      value = Ordain::Wire.unpack(given[name.to_s]) if given.key?(name.to_s)
      SYMBOLS.include?(name) && value.is_a?(String) ? value.to_sym : value
    end
  end

  # Features of the system, queried as `Puppet.features.name?`.
  class Features
    def method_missing(name, *)
      case name.to_s
      when 'posix?', 'syslog?' then true
      when 'root?' then Process.uid.zero?
      when /\?\z/ then available?(name.to_s.chomp('?'))
      else super
      end
    end

    def respond_to_missing?(*)
      true
    end

    def add(name, options = {}, &block)
      libraries = Array(options[:libs])
      own[name.to_s] = block || proc { libraries.all? { |library| Features.loads?(library) } }
    end

    def self.loads?(library)
      require library
      true
    rescue LoadError
      false
    end

    private

    def own
      @own ||= {}
    end

    def available?(name)
      test = own[name]
      test ? !!test.call : Features.loads?(name)
    end
  end

  LEVELS = %i[debug info notice warning err alert emerg crit].freeze

  class << self
    LEVELS.each do |level|
      define_method(level) do |message = nil, &block|
        message = block.call if block
        Ordain.log(level.to_s, message.to_s)
      end
    end
    alias error err

    def runtime
      @runtime ||= Runtime.new
    end

    def send_log(level, message)
      public_send(level, message)
    end

    # Warns once per key. With `:default` as `file` the place is omitted.
    def warn_once(_kind, key, message, file = nil, line = nil, level = :warning)
      return if (@warned ||= Set.new).include?(key)

      @warned << key
      public_send(level, file == :default && line == :default ? message : "#{message}\n   (#{place_text(file, line)})")
    end

    # Warns of deprecated features. Called at their use.
    def deprecation_warning(message, key = nil)
      return if self[:disable_warnings]&.include?('deprecations')

      place = caller.find { |entry| !entry.match?(Ordain::OWN) && !entry.start_with?('<internal') }
      key ||= place
      return if (@warned ||= Set.new).include?(key)

      @warned << key
      warning(place ? "#{message}\n   (location: #{place})" : message)
    end

    def puppet_deprecation_warning(message, options = {})
      key = options[:key] || message
      warn_once('deprecations', key, message, options[:file], options[:line])
    end

    private def place_text(file, line)
      case [file, line]
      in [nil | '' | :default, nil | :default] then 'file & line not available'
      in [nil | '' | :default, line] then "line: #{line}"
      in [file, nil | :default] then "file: #{file}"
      in [file, line] then "file: #{file}, line: #{line}"
      end
    end

    def log_exception(error, message = nil, _options = {})
      err(message == :default || message.nil? ? error.message : message)
    end

    def default_digest_algorithm
      'sha256'
    end

    def version
      PUPPETVERSION
    end

    def settings
      @settings ||= Settings.new
    end

    def [](name)
      settings[name]
    end

    def []=(name, value)
      settings[name] = value
    end

    def features
      @features ||= Features.new
    end

    def lookup(name)
      bound = bindings.reverse.find { |one| one.key?(name) }
      return bound[name] if bound

      case name
      when :current_environment, :root_environment then Node::Environment.current
      when :global_scope then Ordain.global_scope
      when :environments then Environments.new
      when :pal_script_compiler, :pal_catalog_compiler, :pal_compiler then Ordain.global_scope.compiler
      when :trusted_information then TrustedInformation.new
      else
        raise Error, "Unable to lookup '#{name}'" unless block_given?

        yield
      end
    end

    def override(values, _description = '')
      bindings.push(values)
      yield
    ensure
      bindings.pop
    end

    def push_context(values, _description = '')
      bindings.push(values)
    end

    def pop_context
      bindings.pop
    end

    def run_mode
      Util::RunMode.new
    end

    def initialize_settings(*); end

    def forget
      @settings = nil
      @warned = nil
      @bindings = nil
    end

    def newtype(name, options = {}, &block)
      Type.newtype(name, options, &block)
    end

    private

    def bindings
      @bindings ||= []
    end
  end

  PUPPETVERSION = '8.10.0'

  class TrustedInformation
    def to_h
      Ordain.global_scope.lookupvar('trusted')
    end
    alias to_hash to_h
  end

  # The environments by name: there is one.
  class Environments
    def get(_name)
      Node::Environment.current
    end
    alias get! get

    def list
      [Node::Environment.current]
    end
  end

  # A module on the module path.
  class Module
    attr_reader :name, :path, :environment

    def initialize(name, path, environment)
      @name, @path, @environment = name, path, environment
    end

    def self.find(name, environment = nil)
      (environment.is_a?(Node::Environment) ? environment : Node::Environment.current).module(name)
    end

    def self.modulepath(*)
      Node::Environment.current.modulepath
    end

    def metadata_file
      File.join(path, 'metadata.json')
    end

    def metadata
      @metadata ||= File.exist?(metadata_file) ? JSON.parse(File.read(metadata_file)) : {}
    end

    def read_metadata
      metadata
    end

    def version
      metadata['version']
    end

    def author
      metadata['author']
    end

    def forge_name
      metadata['name']&.tr('-', '/')
    end

    { file: 'files', template: 'templates', manifest: 'manifests', plugin: 'lib' }.each do |name, folder|
      define_method(name) do |file = nil|
        full = file ? File.join(path, folder, file) : File.join(path, folder)
        File.exist?(full) ? full : nil
      end
      define_method("#{name}s") { File.join(path, folder) }
    end

    def to_s
      "Module #{name}(#{path})"
    end
  end

  class Node
    # The environment of the compile.
    class Environment
      class << self
        def current
          @current ||= new
        end

        def forget
          @current = nil
        end
      end

      def name
        Ordain.info['environment'].to_sym
      end

      def to_s
        Ordain.info['environment']
      end

      def modulepath
        Ordain.info['modulepath']
      end
      alias full_modulepath modulepath

      def manifest
        Ordain.info['dir'] ? File.join(Ordain.info['dir'], 'manifests') : nil
      end

      def configuration
        self
      end

      def path_to_env
        Ordain.info['dir']
      end

      def modules
        by_name.values
      end

      def modules_by_path
        modules.group_by { |found| File.dirname(found.path) }
      end

      def module(name)
        by_name[name.to_s]
      end

      def known_resource_types
        Resource::TypeCollection.new(Ordain.global_scope)
      end

      def loaders
        nil
      end

      private

      def by_name
        @by_name ||= Ordain.info['modules'].to_h { |name, path| [name, Module.new(name, path, self)] }
      end
    end

    class Facts
      attr_reader :name, :values

      def initialize(name, values = {})
        @name, @values = name, values
      end
    end
  end
end

# Libraries that Puppet has already loaded, so that code uses them without requiring them.
Ordain::LIBRARIES = {
  URI: 'uri', YAML: 'yaml', Psych: 'yaml', ERB: 'erb', FileUtils: 'fileutils', Tempfile: 'tempfile', IPAddr: 'ipaddr',
  Socket: 'socket', TCPSocket: 'socket', Etc: 'etc', Pathname: 'pathname', Shellwords: 'shellwords', OpenSSL: 'openssl',
  Base64: 'base64', SecureRandom: 'securerandom', Timeout: 'timeout', StringIO: 'stringio', Zlib: 'zlib',
  Open3: 'open3', Forwardable: 'forwardable', Singleton: 'singleton', Logger: 'logger', Benchmark: 'benchmark',
  Date: 'date', DateTime: 'date', OpenStruct: 'ostruct', StringScanner: 'strscan', Resolv: 'resolv',
  Gem: 'rubygems', BigDecimal: 'bigdecimal', Delegator: 'delegate', SimpleDelegator: 'delegate', Monitor: 'monitor', CGI: 'cgi',
  MonitorMixin: 'monitor', BasicSocket: 'socket', IPSocket: 'socket', UDPSocket: 'socket', UNIXSocket: 'socket',
  TCPServer: 'socket', UNIXServer: 'socket', Addrinfo: 'socket', SocketError: 'socket', Net: 'net/http', Find: 'find',
  TSort: 'tsort', OptionParser: 'optparse', SingleForwardable: 'forwardable', Ripper: 'ripper', Syslog: 'syslog',
  Concurrent: 'concurrent', DeepMerge: 'deep_merge'
}.freeze
Ordain::LIBRARIES.each { |name, library| Object.autoload(name, library) unless Object.const_defined?(name) }

# Methods that those libraries add to all objects. The first call loads the library, which replaces
# this method.
{
  Object => { to_yaml: 'yaml' }, Kernel => { URI: 'uri', Pathname: 'pathname' }, Integer => { to_bn: 'openssl' },
  Dir.singleton_class => { mktmpdir: 'tmpdir', tmpdir: 'tmpdir' }
}.each do |owner, methods|
  methods.each do |name, library|
    own = nil
    loading = proc do |*args, **options, &block|
      owner.send(:remove_method, name) if owner.instance_method(name) == own
      require library
      __send__(name, *args, **options, &block)
    end
    owner.define_method(name, &loading)
    owner.send(:private, name) if owner == Kernel
    own = owner.instance_method(name)
  end
end

module Kernel
  # Translation of messages, which stay unchanged.
  def _(text)
    text
  end

  def n_(one, many, count)
    count == 1 ? one : many
  end

  # Warnings of code are shown, like its output.
  def warn(*messages, **_options)
    $stderr.puts(*messages) unless messages.empty?
  end

  # Parts of Puppet and Facter are already in this process; modules may add their own. The library of
  # eyaml is not.
  OURS = %r{\A(?!hiera/backend/eyaml)(?:puppet|facter|hiera|semantic_puppet|puppet/.*|facter/.*|hiera/.*|semantic_puppet/.*)(?:\.rb)?\z}

  # Libraries that are loaded on demand as a whole.
  LATER = %w[uri yaml erb date openssl digest resolv cgi socket].freeze

  alias ordain_require require
  private :ordain_require

  def require(name)
    path = name.respond_to?(:to_path) ? name.to_path : name.to_str
    if OURS.match?(path)
      own = Ordain.info && Ordain.own_library(path)
      return own ? ordain_require(own) : false
    end
    begin
      whole = path[%r{\A[^/]+(?=/)}]
      ordain_require(whole) if LATER.include?(whole)
      # A part of `Net` begins with the module, which would load another part of it.
      ordain_require('net/http') if whole == 'net' && path != 'net/http' && Object.autoload?(:Net)
      ordain_require(path)
    rescue LoadError
      # A path relative to the directory of the compile, which is that of the code.
      full = File.expand_path(path)
      return ordain_require(full) if path != full && [full, "#{full}.rb"].any? { |file| File.file?(file) }

      raise unless Object.autoload?(:Gem)

      # Gems are searched only if a library is nowhere else.
      ordain_require('rubygems')
      require(path)
    end
  end
  private :require

  alias ordain_require_relative require_relative
  private :ordain_require_relative

  # Puppet's own types refer to parts of Puppet by relative paths.
  def require_relative(name)
    from = caller_locations(1, 1).first
    full = File.expand_path(name.respond_to?(:to_path) ? name.to_path : name.to_str, File.dirname(from.absolute_path || from.path))
    lib, part = full.match(%r{\A(.*)/(puppet(?:/.*)?)\z})&.captures
    return false if lib && !part.start_with?('puppet/type/') && Ordain.puppets?(lib)

    ordain_require(full)
  end
  private :require_relative
end

module Ordain
  # Whether a directory is the library of a Puppet installation, whose parts are already in this
  # process.
  def self.puppets?(lib)
    File.file?(File.join(lib, 'puppet/version.rb'))
  end

  # The file of a module that is named like a part of Puppet.
  def self.own_library(path)
    path = "#{path}.rb" unless path.end_with?('.rb')
    found = info['libs'].map { |lib| File.join(File.expand_path(lib), path) }.find { |file| File.file?(file) }
    # Methods of this process itself stay.
    found unless found && path.match?(%r{\Apuppet/(?:(?:util|pops|parser|functions|type)\.rb|resource_api[./])})
  end

  def self.global_scope
    Puppet::Parser::Scope.of(global)
  end

  # The number of the top scope, which is that of every compile.
  def self.global
    info['top']
  end
end
