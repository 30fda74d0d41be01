# Facts: those of the node that is compiled, and custom facts of modules, which are collected for the
# machine itself.
module Facter
  # An error of a resolution: no other resolution of the fact is tried.
  class ResolveCustomFactError < StandardError; end

  class << self
    # The value of a fact, of any kind.
    def value(name)
      found = collecting? ? collection.value(name) : nil
      found.nil? ? core_value(name) : found
    end

    # The value of a fact without custom facts.
    def core_value(name)
      first, *rest = name.to_s.split('.')
      return facts[name.to_s] if facts.key?(name.to_s)

      rest.reduce(facts[first]) { |inner, part| inner.is_a?(Hash) ? inner[part] : nil }
    end

    def fact(name)
      if collecting?
        known = collection.fact(name)
        return known if known
      end
      found = core_value(name)
      found.nil? ? nil : Known.new(name.to_s, found)
    end
    alias [] fact

    def add(name, options = {}, &block)
      collecting? ? collection.add(name, options, &block) : nil
    end

    def define_fact(name, options = {}, &block)
      collecting? ? collection.define(name, options, &block) : nil
    end

    def collection
      @collection
    end

    def collecting?
      !@collection.nil?
    end

    # Runs a block with its own collection of facts.
    def collect(made)
      @collection = made
      yield
    ensure
      @collection = nil
    end

    def to_hash
      collecting? ? facts.merge(collection.values) : facts
    end

    def list
      to_hash.keys
    end

    def each(&block)
      to_hash.each(&block)
    end

    def version
      '4.10.0'
    end

    def search(*); end
    def search_path = []
    def loadfacts; end
    def clear; end
    def reset; end
    def flush; end

    def log_exception(error, message = nil)
      text = message == :default || message.nil? ? error.message : message
      collecting? ? collection.problem(text, error) : Puppet.err(text)
    end

    { debug: :debug, debugonce: :debug, info: :info, warn: :warning, warnonce: :warning }.each do |name, level|
      define_method(name) { |message| Puppet.public_send(level, message) }
    end

    def debugging?
      false
    end
    alias trace? debugging?

    private

    def facts
      return collection.core if collecting?

      found, base, outer = Ordain.ask('variable', Ordain.global, 'facts')
      (found && Ordain::SharedValues.copy(Ordain::SharedValues.take(base, outer).first)) || {}
    end
  end

  # A fact that is known without code.
  Known = Struct.new(:name, :value)

  module Core
    # Running programs.
    module Execution
      class ExecutionFailure < StandardError; end

      class << self
        def which(program)
          return (File.executable?(program) && File.file?(program) ? program : nil) if program.start_with?('/')

          dirs = ENV['PATH'].to_s.split(':') + %w[/sbin /usr/sbin]
          dirs.map { |dir| File.join(dir, program) }.find { |file| File.executable?(file) && File.file?(file) }
        end

        def absolute_path?(path, _platform = nil)
          path.to_s.start_with?('/')
        end

        # The command with the full path of its program.
        def expand_command(command)
          match = command.match(/\A"(.+?)"(?:\s+(.*))?/) || command.match(/\A'(.+?)'(?:\s+(.*))?/)
          program, args = match ? match.captures : command.split(' ', 2)
          found = program && which(program) or return nil
          found = "'#{found}'" if found.match?(/\s/)
          args ? "#{found} #{args}" : found
        end

        def with_env(values)
          before = values.to_h { |name, _| [name, ENV.fetch(name, nil)] }
          values.each { |name, value| ENV[name] = value }
          yield
        ensure
          before.each { |name, value| ENV[name] = value }
        end

        def exec(command)
          execute(command, on_fail: nil)
        end

        def execute(command, options = {})
          on_fail = options.fetch(:on_fail, :raise)
          limit = (options[:timeout] || options[:time_limit] || options[:limit]).to_i
          expanded = options.fetch(:expand, true) || !builtin?(command) ? expand_command(command) : command
          return failed(on_fail, "Could not execute '#{command}': command not found") unless expanded

          run(expanded, limit.positive? ? limit : 300, on_fail)
        end

        def execute_command(command, on_fail = nil, _logger = nil, limit = nil)
          [run(command, limit || 300, on_fail), '']
        end

        private

        def builtin?(command)
          word = command.split.first.to_s
          word.match?(/\A\w+\z/) && `type #{word} 2>/dev/null`.include?('builtin')
        end

        def run(command, limit, on_fail)
          require 'open3'
          Open3.popen3({ 'LC_ALL' => 'C', 'LANG' => 'C' }, command, pgroup: true) do |input, output, errors, waiter|
            input.close
            drain = Thread.new { errors.read }
            text = Timeout.timeout(limit) { output.read }
            drain.join
            return text.strip
          rescue Timeout::Error
            Process.kill('KILL', -waiter.pid)
            message = "Timeout encounter after #{limit}s, killing process with pid: #{waiter.pid}"
            raise ExecutionFailure, message if on_fail == :raise

            return ''
          end
        rescue SystemCallError => e
          failed(on_fail, "Failed while executing '#{command}': #{e.message}")
        end

        def failed(on_fail, message)
          raise ExecutionFailure, message if on_fail == :raise

          on_fail
        end
      end
    end

    # The conditions and weight of a resolution.
    module Way
      attr_accessor :name, :timeout, :fact_type
      attr_reader :fact, :file

      def confine(given = nil, &block)
        if given.is_a?(Hash)
          given.each { |fact, values| @confines << [fact, [values].flatten(1), nil] }
        elsif block
          @confines << [given, [], block]
        end
      end

      def has_weight(weight)
        @weight = weight
        self
      end

      def weight
        @weight || @confines.size
      end

      def on_flush(*); end
      def flush; end

      def suitable?
        @confines.all? { |fact, values, block| holds?(fact, values, block) }
      end

      def options(given)
        known, unknown = given.partition { |key, _| %i[name value timeout weight fact_type file is_env].include?(key) }
        raise ArgumentError, "Invalid resolution options #{unknown.map(&:first).inspect}" unless unknown.empty?

        known.each { |key, value| instance_variable_set("@#{key}", value) }
      end

      # The value, as facts may be.
      def value
        Normal.of(Timeout.timeout(@timeout || 0) { resolve })
      rescue Timeout::Error => e
        Facter.log_exception(e, "Timed out after #{@timeout || 0} seconds while resolving #{title}")
        nil
      rescue Normal::Error => e
        Facter.log_exception(e, "Fact resolution #{title} resolved to an invalid value: #{e.message}")
        nil
      rescue StandardError => e
        Facter.log_exception(e, "Error while resolving custom fact #{title}: #{e.message}")
        raise ResolveCustomFactError
      end

      private

      def title
        "fact='#{@fact.name}', resolution='#{@name || '<anonymous>'}'"
      end

      def holds?(fact, values, block)
        return !!block.call if fact.nil?

        found = Facter[fact] or return false
        found = plain(found.value)
        return false if found.nil?

        block ? !!block.call(found) : values.any? { |one| plain(one) === found }
      rescue StandardError
        raise unless block

        false
      end

      def plain(value)
        value = value.to_s if value.is_a?(Symbol)
        value.is_a?(String) ? value.downcase : value
      end
    end

    # A value in parts that are merged.
    class Aggregate
      include Way

      class DependencyError < StandardError; end

      def initialize(name, fact)
        @name, @fact, @confines, @chunks = name, fact, [], {}
      end

      def resolution_type
        :aggregate
      end

      def evaluate(&block)
        instance_eval(&block)
      end

      def chunk(name, options = {}, &block)
        raise ArgumentError, "#{self.class.name}#chunk requires a block" unless block
        raise ArgumentError, "#{self.class.name}#expected chunk name to be a Symbol" unless name.is_a?(Symbol)

        unknown = options.keys - [:require]
        raise ArgumentError, "Unexpected options passed to #{self.class.name}#chunk: #{unknown.inspect}" unless unknown.empty?

        @chunks[name] = [Array(options[:require]), block]
        self
      end

      def aggregate(&block)
        raise ArgumentError, "#{self.class.name}#aggregate requires a block" unless block

        @aggregate = block
        self
      end

      private

      def resolve
        results = {}
        @chunks.each_key { |name| part(name, results, []) }
        return @aggregate.call(results) if @aggregate

        results.values.inject { |left, right| merge(left, right, []) }
      end

      def part(name, results, under_way)
        return results[name] if results.key?(name)
        if under_way.include?(name)
          raise DependencyError,
                "Could not order chunks; found the following dependency cycles: #{[under_way].inspect}"
        end

        needs, block = @chunks.fetch(name)
        results[name] = block.call(*needs.map { |one| part(one, results, under_way + [name]) })
      end

      def merge(left, right, path)
        return left.merge(right) { |key, one, other| merge(one, other, path + [key]) } if [left, right].all?(Hash)
        return left + right if [left, right].all?(Array)
        return left.nil? ? right : left if left.nil? || right.nil?

        place = path.empty? ? '' : " at root#{path.map { |part| "[#{part.inspect}]" }.join}"
        raise ArgumentError,
              "Could not deep merge all chunks (Original error: Cannot merge #{left.inspect}:#{left.class} and " \
              "#{right.inspect}:#{right.class}#{place}), ensure that chunks return either an Array or Hash or " \
              'override the aggregate block'
      end
    end
  end

  # The classes of values of facts.
  module Normal
    class Error < StandardError; end

    class << self
      def of(value)
        case value
        when Integer, Float, true, false, nil then value
        when Symbol then value.to_s
        when Time, Date then value.iso8601
        when String then text(value)
        when Array then value.map { |one| of(one) }
        when Hash then value.to_h { |key, one| [text(of(key).to_s), of(one)] }
        else
          raise Error,
                "Expected #{value} to be one of [Integer, Float, TrueClass, FalseClass, NilClass, Symbol, String, " \
                "Array, Hash, Date, Time], but was #{value.class}"
        end
      end

      private

      def text(value)
        utf8 = value.encode(Encoding::UTF_8)
        return utf8 if utf8.valid_encoding?

        raise Error, "String #{value.inspect} doesn't match the reported encoding #{value.encoding}"
      rescue EncodingError
        raise Error, "String encoding #{value.encoding} is not UTF-8 and could not be converted to UTF-8"
      end
    end
  end

  module Util
    # A way to the value of a fact.
    class Resolution
      include Core::Way

      class << self
        %i[which exec with_env].each do |name|
          define_method(name) { |*args, &block| Core::Execution.public_send(name, *args, &block) }
        end
      end

      def initialize(name, fact)
        @name, @fact, @confines = name, fact, []
      end

      def resolution_type
        :simple
      end

      def evaluate(&block)
        instance_eval(&block)
      end

      def setcode(command = nil, &block)
        raise ArgumentError, 'You must pass either code or a block' unless command || block

        @code = block || proc do
          text = Core::Execution.execute(command, on_fail: nil)
          text unless text.to_s.empty?
        end
        self
      end

      private

      def resolve
        @value.nil? ? @code&.call : @value
      end
    end

    # A custom fact: the ways to its value.
    class Fact
      attr_reader :name
      attr_accessor :used_resolution_weight

      def initialize(name, outside)
        @name, @outside, @ways = name, outside, []
      end

      def add(options = {}, &block)
        define_resolution(nil, options, &block)
      end

      def define_resolution(name, options = {}, &block)
        kind = options.delete(:type) || :simple
        way = way_of(name, kind)
        way.options(options) unless options.empty?
        way.evaluate(&block) if block
        way
      rescue StandardError => e
        Facter.log_exception(e, "Unable to add resolve #{name.inspect} for fact #{@name}: #{e.message}")
        nil
      end

      def resolution(name)
        name && @ways.find { |way| way.name == name }
      end

      # Forgets the value, which the next question looks for again.
      def flush
        @resolved = false
      end

      # The first value of the suitable resolutions, by weight. If there is none or its weight is
      # zero, the value without custom facts.
      def value
        return @value if @resolved

        raise "Caught recursion on #{@name}" if @searching

        @searching = true
        @value = found
        @resolved = true
        @value
      ensure
        @searching = false
      end

      private

      def found
        ways = @ways.select(&:suitable?).each_with_index.sort_by { |way, index| [-way.weight, index] }.map(&:first)
        used, value = 0, nil
        ways.each do |way|
          # External facts win over custom facts of the same weight.
          break if @outside && way.weight <= @outside[0]

          value = way.value
          used = way.weight
          break unless value.nil?
        rescue ResolveCustomFactError
          break
        end
        used, value = @outside if value.nil? && @outside
        return Facter.core_value(@name) if value.nil?

        core = used <= 0 ? Facter.core_value(@name) : nil
        core.nil? ? value : core
      end

      def way_of(name, kind)
        known = resolution(name)
        if known && known.resolution_type != kind
          raise ArgumentError,
                "Cannot return resolution #{name} with type #{kind}; already defined as #{known.resolution_type}"
        end
        return known if known

        made =
          case kind
          when :simple then Resolution.new(name, self)
          when :aggregate then Core::Aggregate.new(name, self)
          else raise ArgumentError, "Expected resolution type to be one of (:simple, :aggregate) but was #{kind}"
          end
        @ways << made
        made
      end
    end

    # Files.
    module FileRead
      def self.read(path)
        File.read(path)
      rescue SystemCallError
        nil
      end
    end

    module FileHelper
      def self.safe_read(path, default = '')
        File.read(path)
      rescue SystemCallError
        default
      end

      def self.safe_readlines(path, default = [])
        File.readlines(path)
      rescue SystemCallError
        default
      end
    end

    module Config
      def self.is_windows?
        false
      end

      def self.is_mac?
        false
      end
    end
  end
end

module Ordain
  # The custom facts of a machine.
  class Collection
    attr_reader :core, :problems

    # The known facts of the system, the external ones by weight, and the directories of files.
    def initialize(core, outside, dirs)
      @core = { 'facterversion' => Facter.version, 'puppetversion' => Puppet.version }.merge(core)
      @outside = outside
      @files = dirs.flat_map { |dir| Dir.glob(File.join(dir, '*.rb')) }
      @facts, @loaded, @problems, @reached = {}, Set.new, [], {}
    end

    def add(name, options = {}, &block)
      make(name).add(options.dup, &block)
    end

    def define(name, options = {}, &block)
      made = make(name)
      made.add(options.dup) unless options.empty?
      made.instance_eval(&block) if block
      made
    end

    # A custom fact; files are loaded until it is defined, starting with the file of its name.
    def fact(name)
      key = name.to_s.downcase.to_sym
      @files.select { |file| File.basename(file, '.rb') == key.to_s }.each { |file| load(file) } unless @facts[key]
      load_all unless @facts[key] || !Facter.core_value(name).nil?
      @facts[key]
    end

    def value(name)
      known = fact(name)
      return known.value if known

      first, *rest = name.to_s.split('.')
      known = rest.empty? ? nil : @facts[first.downcase.to_sym]
      known && rest.reduce(known.value) { |inner, part| inner.is_a?(Hash) ? inner[part] : nil }
    end

    def load_all
      @files.each { |file| load(file) }
    end

    # All values; a fact that takes too long is omitted.
    def values
      load_all
      @facts.keys.each_with_object({}) do |name, out|
        value = guarded(name) { @facts[name].value }
        out[name.to_s] = value unless value.nil?
      end
    end

    def problem(message, error)
      @problems << [message.to_s, *Ordain.caller_place(error.backtrace)]
    end

    private

    def make(name)
      key = name.to_s.downcase.to_sym
      @facts[key] ||= Facter::Util::Fact.new(key, @outside[key.to_s])
    end

    def load(file)
      return unless @loaded.add?(file)

      guarded(file) { Ordain.evaluate(file, File.read(file, encoding: 'UTF-8')) }
    rescue ScriptError => e
      problem("Error loading fact #{file}: #{e.message}", e)
    rescue StandardError => e
      problem("error while resolving custom facts in #{file} #{e.message}", e)
    end

    def guarded(what)
      Ordain.renew
      yield
    rescue Stop, SystemExit, NoMemoryError, SystemStackError => e
      problem("#{what} is stopped: #{Ordain.describe(e)['message']}", e)
      nil
    rescue StandardError => e
      raise if what.is_a?(String)

      problem("Error while resolving custom fact #{what}: #{e.message}", e)
      nil
    end
  end

  # Collects custom facts.
  def self.collect_facts(core, outside, dirs)
    made = Collection.new(Wire.unpack(core), outside.transform_values { |weight, value| [weight, Wire.unpack(value)] }, dirs)
    values = Facter.collect(made) { made.values }
    { 'values' => values.transform_values { |value| Wire.pack(Wire.plain(value)) }, 'problems' => made.problems }
  end
end
