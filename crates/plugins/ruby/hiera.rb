# The library of backends of Hiera 3: `Hiera`, its configuration, and the helpers of
# `Hiera::Backend`.
class Hiera
  VERSION = '3.12.0'

  # Quoted keys, as in methods of interpolation.
  QUOTED_KEY = /\A(?:"([^"]+)"|'([^']+)')\z/.freeze

  Error = Class.new(StandardError)
  InvalidConfigurationError = Class.new(Error)
  InterpolationInvalidValue = Class.new(StandardError)
  InterpolationLoop = Class.new(Error)

  class << self
    attr_reader :logger

    def logger=(name)
      @logger = name.to_s
    end

    def warn(message)
      log('WARN', message) { |text| Puppet.notice(text) }
    end

    def debug(message)
      log('DEBUG', message) { |text| Puppet.debug(text) }
    end

    def version
      VERSION
    end

    private

    def log(level, message)
      case logger
      when 'noop' then nil
      when 'console' then $stderr.puts("#{level}: #{Time.now}: #{message}")
      else yield "hiera(): #{message}"
      end
    end
  end

  # The configuration, in the form of `hiera.yaml` of version 3.
  class Config
    class << self
      attr_accessor :config

      def [](key)
        config[key]
      end

      def include?(key)
        config.include?(key)
      end
    end
    self.config = {}
  end

  # The scope with the variables that only Hiera has; an empty text is nothing.
  class Scope
    CALLING = %w[calling_class calling_class_path calling_module].freeze

    attr_reader :real

    def initialize(real)
      @real = real
    end

    def [](name)
      value = case name
              when 'calling_class' then calling_class
              when 'calling_class_path' then calling_class&.gsub('::', '/')
              when 'calling_module' then real.lookupvar('module_name')
              else real.lookupvar(name)
              end
      value unless value == ''
    end

    def exist?(name)
      CALLING.include?(name) || real.exist?(name)
    end

    def include?(name)
      CALLING.include?(name) || real.include?(name)
    end

    def catalog
      real.catalog
    end

    def resource
      real.resource
    end

    def compiler
      real.compiler
    end

    def call_function(name, *args, &block)
      real.call_function(name, *args, &block)
    end

    private

    def calling_class
      owner = real.resource
      owner.title.to_s.downcase if owner && owner.type.to_s == 'Class'
    end
  end

  # Contents of files, read again when they change.
  class Filecache
    def initialize
      @files = {}
    end

    # The content, or the result of the block for it. A default replaces content that cannot be read
    # or has another class.
    def read(path, expected = Object, default = nil, &block)
      read_file(path, expected, &block)
    rescue TypeError => e
      Hiera.debug("#{e.message}, setting defaults")
      @files[path] = [stamp(path), default]
      default
    rescue StandardError => e
      raise if default.nil?

      Hiera.debug("Reading data from #{path} failed: #{e.class}: #{e}")
      default
    end

    def read_file(path, expected = Object)
      now = stamp(path)
      known, data = @files[path]
      return data if known == now

      data = File.read(path, encoding: 'BOM|UTF-8')
      data = yield(data) if block_given?
      unless data.is_a?(expected)
        raise TypeError, "Data retrieved from #{path} is #{data.class} not #{expected}"
      end
      @files[path] = [now, data]
      data
    end

    private

    def stamp(path)
      stat = File.stat(path)
      [stat.ino, stat.mtime, stat.size]
    end
  end

  # Interpolation and conversion of texts in data.
  module Interpolate
    SITE = /%\{([^}]*)\}/.freeze
    METHOD = /\A(\w+)\(([^)]*)\)\z/.freeze
    NOTHING = ['', '::', '""', "''", '"::"', "'::'"].freeze

    class << self
      def interpolate(data, scope, extra, context)
        return data unless data.is_a?(String)

        seen = (context || {})[:recurse_guard] || []
        if (only = data.match(/\A%\{(.*)\}\z/m)) && (alias_of = aliased(only[1]))
          return lookup(alias_of, scope)
        end
        data.gsub(SITE) { site(Regexp.last_match(1), scope, extra, seen).to_s }
      end

      private

      def aliased(inner)
        found = inner.match(METHOD)
        quoted(found[2], 'alias') if found && found[1] == 'alias'
      end

      def site(inner, scope, extra, seen)
        return '' if NOTHING.include?(inner.strip)
        raise InterpolationLoop, "Lookup recursion detected in [#{(seen + [inner]).join(', ')}]" if seen.include?(inner)

        value = case inner
                when METHOD then call($1, $2, inner, scope)
                else Backend.variable(inner, scope, extra)
                end
        return value if !value.is_a?(String) || inner.start_with?('literal(')

        value.gsub(SITE) { site(Regexp.last_match(1), scope, extra, seen + [inner]).to_s }
      end

      def call(method, argument, whole, scope)
        key = quoted(argument, method)
        case method
        when 'literal' then key
        when 'scope' then Backend.variable(key, scope, {})
        when 'hiera', 'lookup' then lookup(key, scope)
        when 'alias' then raise InterpolationInvalidValue, 'Cannot call alias in the string context'
        else raise InterpolationInvalidValue, "Invalid interpolation method '#{method}'"
        end
      end

      def quoted(argument, method)
        found = argument.match(QUOTED_KEY)
        return found[1] || found[2] if found

        raise InterpolationInvalidValue, "Argument to interpolation method '#{method}' must be quoted, got '#{argument}'"
      end

      # A lookup through all that the compile has.
      def lookup(key, scope)
        scope.call_function('lookup', [key, { 'default_value' => nil }])
      end
    end
  end

  module Backend
    # Methods that backends with an earlier interface lack.
    class Backend1xWrapper
      def initialize(backend)
        @backend = backend
      end

      def lookup(key, scope, order_override, resolution_type, _context)
        Hiera.debug("Using Hiera 1.x backend API to access instance of class #{@backend.class.name}. " \
                    'Lookup recursion will not be detected')
        type = resolution_type.is_a?(Hash) ? :hash : resolution_type
        value = @backend.lookup(key, scope, order_override, type)
        throw :no_such_key if value.nil?
        value
      end
    end

    class << self
      def datadir(backend, scope)
        settings = Config[backend.to_sym]
        dir = settings && settings[:datadir] || '/etc/puppetlabs/code/environments/%{environment}/hieradata'
        raise InvalidConfigurationError, "datadir for #{backend} cannot be an array" unless dir.is_a?(String)

        parse_string(dir, scope, {})
      end

      def datafile(backend, scope, source, extension)
        datafile_in(datadir(backend, scope), source, extension)
      end

      def datafile_in(datadir, source, extension)
        file = File.join(datadir, "#{source}.#{extension}")
        return file if File.exist?(file)

        Hiera.debug("Cannot find datafile #{file}, skipping")
        nil
      end

      # Gives the levels of the hierarchy, those of the override first.
      def datasources(scope, override = nil, hierarchy = nil)
        levels = hierarchy || (Config.include?(:hierarchy) ? Config[:hierarchy] : 'common')
        [override, levels].flatten.compact.map do |source|
          source = parse_string(source, scope, {}, order_override: override)
          if source == '' || source.match?(%r{\A/|//|/\z})
            Hiera.debug("Ignoring bad definition in :hierarchy: '#{source}'")
          else
            yield(source)
          end
        end
      end

      def datasourcefiles(backend, scope, extension, override = nil, hierarchy = nil)
        dir = datadir(backend, scope)
        datasources(scope, override, hierarchy) do |source|
          Hiera.debug("Looking for data source #{source}")
          file = datafile_in(dir, source, extension)
          yield(source, file) if file
        end
      end

      def parse_string(data, scope, extra_data = {}, context = {})
        Interpolate.interpolate(data, scope, extra_data, context)
      end

      def parse_answer(data, scope, extra_data = {}, context = {})
        case data
        when Numeric, true, false then data
        when String then parse_string(data, scope, extra_data, context)
        when Hash
          data.to_h do |key, value|
            [parse_string(key, scope, extra_data, context), parse_answer(value, scope, extra_data, context)]
          end
        when Array then data.map { |item| parse_answer(item, scope, extra_data, context) }
        end
      end

      def resolve_answer(answer, resolution_type)
        resolution_type == :array ? [answer].flatten.uniq.compact : answer
      end

      # Merges two hashes; the second wins, unless the behavior is `deep`.
      def merge_answer(left, right, resolution_type = nil)
        given = resolution_type.is_a?(Hash) ? resolution_type : nil
        behavior = given ? given[:behavior] : Config[:merge_behavior]
        options = given || Config[:deep_merge_options] || {}
        case behavior&.to_sym
        when :deeper then Merge.deep(left, right, true, options)
        when :deep then Merge.deep(left, right, false, options)
        else left.merge(right)
        end
      end

      # The part of a value that keys lead to.
      def qualified_lookup(segments, value, full_key = nil)
        segments.each do |segment|
          throw :no_such_key if value.nil?
          number = segment.match?(/\A\d+\z/)
          if number != value.instance_of?(Array) || value.instance_of?(String)
            wanted = number ? 'Array' : 'a hash-like object'
            from = full_key && " from key '#{full_key}'"
            raise StandardError, "Hiera type mismatch: Got #{value.class.name} when #{wanted} was expected to access value using '#{segment}'#{from}"
          end
          segment = segment.to_i if number
          throw :no_such_key if number ? segment >= value.size : !value.include?(segment)
          value = value[segment]
        end
        value
      end

      # A variable of the scope, or an extra variable; an empty text if it does not exist.
      def variable(name, scope, extra)
        segments = name.gsub(/["']/, '').split('.')
        [scope, extra].each do |where|
          next if where.nil?

          catch(:no_such_key) { return qualified_lookup(segments, where, name) }
        end
        ''
      end

      def lookup(key, default, scope, order_override, resolution_type, _context = {})
        Config[:backends].each do |name|
          backend = Backends.named(name)
          catch(:no_such_key) { return backend.lookup(key, scope, order_override, resolution_type, {}) } if backend
        end
        default
      end
    end
  end

  # Hashes in hashes.
  module Merge
    # Merges them; `over` selects whether the second wins.
    def self.deep(left, right, over, options = {})
      left.merge(right) do |_, mine, other|
        if mine.is_a?(Hash) && other.is_a?(Hash) then deep(mine, other, over, options)
        elsif mine.is_a?(Array) && other.is_a?(Array) then sorted(mine | other, options)
        else over ? other : mine
        end
      end
    end

    def self.sorted(list, options)
      options[:sort_merged_arrays] ? list.sort : list
    end
  end

  # The queried backends, one per name.
  module Backends
    @made = {}
    @configurations = {}

    class << self
      # Queries a backend; returns whether it has the key, and the value.
      def ask(name, key, scope, options, override, merge)
        Config.config = configuration(options)
        Hiera.logger = Config[:logger] || 'puppet'
        scope = Scope.new(scope) if options['yaml']
        backend = named(name)
        return [false, "Unable to load backend '#{name}': #{@reason}"] unless backend

        catch(:no_such_key) do
          return [true, backend.lookup(key, scope, override, resolution_type(merge), recurse_guard: nil)]
        end
        [false, nil]
      end

      # The backend of a name; `nil` and a reason if there is none.
      def named(name)
        @made[name] ||= make(name)
      rescue LoadError, NameError => e
        @reason = e.message
        nil
      end

      private

      def make(name)
        load("hiera/backend/#{name.downcase}_backend")
        made = Backend.const_get("#{name.capitalize}_backend").new
        made.method(:lookup).arity == 4 ? Backend::Backend1xWrapper.new(made) : made
      end

      # Modules come before gems.
      def load(path)
        return require(path) if Ordain.own_library(path)

        Kernel.require('rubygems')
        file = Gem.find_files("#{path}.rb").first
        raise LoadError, "cannot load such file -- #{path}" unless file

        Kernel.load(file) unless $LOADED_FEATURES.include?(file)
        $LOADED_FEATURES << file
      end

      def configuration(options)
        @configurations[options] ||= options['yaml'] ? of_version_3(options['yaml']) : of_version_5(options)
      end

      def of_version_3(text)
        given = YAML.safe_load(text, permitted_classes: [Symbol], aliases: true) || {}
        { backends: ['yaml'], hierarchy: ['nodes/%{::trusted.certname}', 'common'], merge_behavior: :native }.merge(given)
      end

      def of_version_5(options)
        { logger: 'puppet' }.merge(options.transform_keys(&:to_sym)).transform_values do |value|
          value.is_a?(Hash) ? value.transform_keys(&:to_sym) : value
        end
      end

      def resolution_type(merge)
        case merge
        when nil, 'first', 'default' then nil
        when 'configured' then :hash
        when 'unique' then :array
        when 'hash' then { behavior: :native }
        when 'reverse_deep' then { behavior: :deep }
        when Hash
          rest = merge.reject { |key, _| key == 'strategy' }.transform_keys(&:to_sym)
          { behavior: merge['strategy'] == 'reverse_deep' ? :deep : :deeper }.merge(rest)
        else { behavior: :deeper }
        end
      end
    end
  end
end

class Hiera
  # Encryptors of eyaml that plugins bring, such as KMS of the gem `hiera-eyaml-kms`.
  module EyamlPlugins
    class << self
      # Returns whether a plugin decrypted the base64 text, and the result or the reason.
      def decrypt(scheme, cipher, options)
        load(scheme.downcase)
        Backend::Eyaml::Options.set(options)
        encryptor = Backend::Eyaml::Encryptor.find(scheme)
        text = encryptor.decrypt(encryptor.decode(cipher))
        text = text.dup.force_encoding(Encoding::UTF_8)
        text.valid_encoding? ? [true, text] : [false, 'the decrypted value is not UTF-8 text']
      rescue LoadError => e
        [false, "the plugin hiera-eyaml-#{scheme.downcase} cannot be loaded by ruby: #{e.message}"]
      rescue StandardError => e
        [false, e.message]
      end

      private

      # Activates the gem of an encryptor, so that its dependencies are found, and loads its files.
      def load(name)
        path = "hiera/backend/eyaml/encryptors/#{name}"
        unless Ordain.own_library(path)
          Kernel.require('rubygems')
          Gem::Specification.find_by_path(path)&.activate
        end
        require('hiera/backend/eyaml/encryptor')
        require('hiera/backend/eyaml/utils')
        require('hiera/backend/eyaml/options')
        require('hiera/backend/eyaml/logginghelper')
        require(path)
      end
    end
  end
end

class Hash
  # Methods that the library `deep_merge` adds.
  def deeper_merge(other, options = {})
    Hiera::Merge.deep(self, other, false, options)
  end

  def deeper_merge!(other, options = {})
    replace(Hiera::Merge.deep(self, other, true, options))
  end
end
