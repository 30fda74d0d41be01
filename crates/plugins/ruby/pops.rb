# Puppet's types and rich values. The compile holds a type and does all work on it.
module Puppet
  module Pops
    MAX_INTEGER = 2**63 - 1
    MIN_INTEGER = -2**63

    module Lookup
    end

    module Types
      # Something that the compile holds.
      class HeldValue
        include Ordain::Held

        def initialize(data)
          @held, @text = data['id'], data['text']
          @request = Ordain.requests
        end

        # Its number in the compile. Code may keep it across calls.
        def held
          return @held if @request == Ordain.requests

          again = revived
          @held, @request = again['id'], Ordain.requests if again
          @held
        end

        # The type as the compile sees it in another call.
        def revived; end

        def to_s
          @text
        end
        alias inspect to_s

        def ==(other)
          other.class == self.class && to_s == other.to_s
        end
        alias eql? ==

        def hash
          @text.hash
        end
      end

      class PAnyType < HeldValue
        def initialize(data)
          super
          @parts = data['parts'] || {}
        end

        def revived
          Ordain.ask('type', to_s)
        end

        def instance?(value, _guard = nil)
          Ordain.ask('instance', held, Ordain::Wire.pack(value))
        end

        def assignable?(other, _guard = nil)
          Ordain.ask('assignable', held, other.held)
        end

        def generalize
          Ordain.ask_value('generalize', held)
        end

        # Its parts by name.
        def member(name)
          @members ||= Ordain.ask('type_members', held).transform_values { |part| Ordain::Wire.unpack(part) }
          @members[name]
        end

        def name
          to_s
        end

        def simple_name
          to_s[/\A[^\[]+/]
        end
        alias class_name_of simple_name

        def create(*args)
          Ordain.call_function(Ordain.global_scope, 'new', [self, *args])
        end

        def callable_with?(*)
          false
        end

        def ===(value)
          instance?(value)
        end
      end

      # The type of values that must not be shown.
      class PSensitiveType < PAnyType
        class Sensitive
          def initialize(value)
            @value = value
          end

          def unwrap
            @value
          end

          def to_s
            'Sensitive [value redacted]'
          end

          def inspect
            '#<Sensitive [value redacted]>'
          end

          def ==(other)
            other.is_a?(Sensitive) && unwrap == other.unwrap
          end
          alias eql? ==

          def hash
            @value.hash
          end
        end
      end

      class PBinaryType < PAnyType
        # Bytes, which Puppet writes in Base64.
        class Binary
          attr_reader :binary_buffer

          class << self
            def from_base64(text)
              new(text.unpack1('m'))
            end

            def from_base64_strict(text)
              new(text.unpack1('m0'))
            end

            def from_base64_urlsafe(text)
              from_base64(text.tr('-_', '+/'))
            end

            def from_string(text)
              new(text.encode('UTF-8'))
            end

            def from_binary_string(bytes)
              new(bytes)
            end
          end

          def initialize(bytes)
            @binary_buffer = bytes.dup.force_encoding(Encoding::BINARY)
          end

          def to_s
            [binary_buffer].pack('m0')
          end

          def relaxed_to_s
            [binary_buffer].pack('m')
          end

          def urlsafe_to_s
            to_s.tr('+/', '-_')
          end

          def length
            binary_buffer.length
          end
          alias size length

          def ==(other)
            other.is_a?(Binary) && binary_buffer == other.binary_buffer
          end
          alias eql? ==

          def hash
            binary_buffer.hash
          end
        end
      end

      # Values that older functions get as text: times, durations, version ranges.
      class Plain < HeldValue
        def initialize(data)
          super
          @of, @value = data['of'], data['v']
        end

        def revived
          @of && Ordain.ask('revive', @of, @value)
        end
      end

      # An object of a Puppet type: its attributes and functions are methods.
      class PuppetObject < HeldValue
        def method_missing(name, *args, &block)
          found, value = args.empty? ? Ordain.ask('member', held, name.to_s) : nil
          return Ordain::Wire.unpack(value) if found

          Ordain.call_function(Ordain.global_scope, name.to_s, [self, *args], block)
        end

        def respond_to_missing?(name, include_private = false)
          Ordain.ask('member', held, name.to_s)[0] || super
        end
      end

      # The options and caches of a Hiera level. Calls that do not need the compile are answered
      # here.
      class Lookup::Context < PuppetObject
        # Results that code computed from files, by path, with a fingerprint of the text.
        FILES = {}

        # The files that the compile was asked for.
        @asked = {}
        # The caches of contexts by number; `nil` for those that the compile has.
        @caches = {}

        class << self
          attr_reader :asked, :caches

          def forget
            @asked = {}
            @caches = {}
          end
        end

        def initialize(data)
          super
          @number, shared, @explained = data['context']
          caches = LookupContext.caches
          caches[@number] = shared || @number.nil? ? nil : {} unless caches.key?(@number)
        end

        # Represents a context that only the compile uses.
        class Handle
          include Ordain::Held

          def initialize(held)
            @held = held
          end
        end

        alias number_held held

        # Code of the compile that gets the context owns its cache from now on.
        def held
          hand_over if @number && LookupContext.caches[@number]
          super
        end

        def not_found(*args)
          args.empty? ? throw(:no_such_key) : ask_for(:not_found, *args)
        end

        def explain(*args, &block)
          ask_for(:explain, *args, &block) if @explained || !args.empty? || block.nil?
        end

        def interpolate(*args)
          args.size == 1 && fixed?(args[0]) ? Ordain::SharedValues.copy(args[0]) : ask_for(:interpolate, *args)
        end

        def cache_has_key(key)
          cache = LookupContext.caches[@number]
          cache ? cache.key?(key) : ask_for(:cache_has_key, key)
        end

        def cached_value(key)
          cache = LookupContext.caches[@number]
          cache ? cache[key] : ask_for(:cached_value, key)
        end

        def cache(key, value)
          cache = LookupContext.caches[@number]
          cache ? cache[key] = value : ask_for(:cache, key, value)
        end

        def cache_all(hash)
          cache = LookupContext.caches[@number]
          return ask_for(:cache_all, hash) unless cache && hash.is_a?(Hash)

          cache.update(hash)
          nil
        end

        def cached_entries(*args, &block)
          hand_over if LookupContext.caches[@number]
          ask_for(:cached_entries, *args, &block)
        end

        def module_name
          method_missing(:module_name)
        end

        def method_missing(name, *args, &block)
          found, value = args.empty? ? Ordain.ask('member', number_held, name.to_s) : nil
          found ? Ordain::Wire.unpack(value) : ask_for(name, *args, &block)
        end

        def respond_to_missing?(name, include_private = false)
          Ordain.ask('member', number_held, name.to_s)[0] || super
        end

        # The text of a file, or the cached result of the block for this text.
        def cached_file_data(path)
          unless path.is_a?(String) || path.is_a?(Pathname)
            raise ArgumentError, "FileSystem implementation expected Pathname, got: '#{path.class}'"
          end

          known = FILES[path]
          return known[1] if known && LookupContext.asked[path]

          stamp, text = Ordain.ask('file', path.to_s, known && known[0])
          LookupContext.asked[path] = true
          return known[1] if text.nil?

          data = block_given? ? yield(text) : text
          FILES[path] = [stamp, data]
          data
        end

        def environment_name
          method_missing(:environment_name).to_sym
        end

        def invocation
          self
        end

        private

        def ask_for(method, *args, &block)
          Ordain.call_function(Ordain.global_scope, method.to_s, [Handle.new(number_held), *args], block)
        end

        def hand_over
          cache = LookupContext.caches[@number]
          LookupContext.caches[@number] = nil
          ask_for(:cache_all, cache) unless cache.empty?
        end

        # Whether a value has nothing to interpolate.
        def fixed?(value)
          case value
          when String then value.instance_of?(String) && !value.include?('%{')
          when Array then value.instance_of?(Array) && value.all? { |item| fixed?(item) }
          when Hash then value.instance_of?(Hash) && value.all? { |key, item| key.instance_of?(String) && fixed?(key) && fixed?(item) }
          else [Integer, Float, NilClass, TrueClass, FalseClass].include?(value.class)
          end
        end
      end
      LookupContext = Lookup::Context

      class PCatalogEntryType < PAnyType
        def to_resource
          Puppet::Resource.new(type_name, title)
        end
      end

      class PResourceType < PCatalogEntryType
        def type_name
          @parts['type']
        end

        def title
          @parts['title']
        end
      end

      class PClassType < PCatalogEntryType
        def class_name
          @parts['title']
        end
        alias title class_name

        def type_name
          'Class'
        end
      end

      # The types that are kinds of another.
      {
        'PScalarType' => 'PAnyType', 'PScalarDataType' => 'PScalarType', 'PNumericType' => 'PScalarDataType',
        'PIntegerType' => 'PNumericType', 'PFloatType' => 'PNumericType', 'PStringType' => 'PScalarDataType',
        'PBooleanType' => 'PScalarDataType', 'PEnumType' => 'PScalarDataType', 'PPatternType' => 'PScalarDataType',
        'PRegexpType' => 'PScalarType', 'PTimespanType' => 'PScalarType', 'PTimestampType' => 'PScalarType',
        'PSemVerType' => 'PScalarType', 'PCollectionType' => 'PAnyType', 'PArrayType' => 'PCollectionType',
        'PHashType' => 'PCollectionType', 'PTupleType' => 'PAnyType', 'PStructType' => 'PAnyType',
        'PUndefType' => 'PAnyType', 'PDefaultType' => 'PAnyType', 'PVariantType' => 'PAnyType',
        'POptionalType' => 'PAnyType', 'PNotUndefType' => 'PAnyType', 'PTypeType' => 'PAnyType',
        'PCallableType' => 'PAnyType', 'PTypeAliasType' => 'PAnyType', 'PObjectType' => 'PAnyType',
        'PIterableType' => 'PAnyType', 'PIteratorType' => 'PIterableType', 'PRuntimeType' => 'PAnyType',
        'PTypeReferenceType' => 'PAnyType', 'PURIType' => 'PAnyType', 'PSemVerRangeType' => 'PAnyType',
        'PInitType' => 'PTypeType', 'PTypeSetType' => 'PAnyType', 'PTypeWithContainedType' => 'PAnyType'
      }.each { |name, parent| const_set(name, Class.new(const_get(parent))) }

      {
        'PEnumType' => %w[values], 'PIntegerType' => %w[from to], 'PVariantType' => %w[types], 'PTupleType' => %w[types],
        'PArrayType' => %w[element_type], 'PHashType' => %w[key_type value_type], 'POptionalType' => %w[type],
        'PNotUndefType' => %w[type], 'PTypeAliasType' => %w[resolved_type]
      }.each do |name, members|
        members.each { |member| const_get(name).define_method(member) { member(member) } }
      end

      class PEnumType
        def each(&block)
          values.each(&block)
        end
      end

      class PIntegerType
        def each(&block)
          raise TypeError, "can't iterate from NilClass" if from.nil?

          (from..to).each(&block)
        end
      end

      class POptionalType
        alias optional_type type
      end

      # Another name stands for its type.
      class PTypeAliasType
        def method_missing(name, *args, &block)
          resolved_type.respond_to?(name) ? resolved_type.public_send(name, *args, &block) : super
        end

        def respond_to_missing?(name, include_private = false)
          resolved_type.respond_to?(name, include_private)
        end
      end

      class << self
        # A value of the compile, as an object of the class for its kind.
        def of(data)
          case data['kind']
          when 'type' then type_class(data['class']).new(data)
          when 'object' then data['class'] == 'Puppet::LookupContext' ? LookupContext.new(data) : PuppetObject.new(data)
          else Plain.new(data)
          end
        end

        private

        def type_class(name)
          const_defined?(name, false) ? const_get(name) : PAnyType
        end
      end

      class TypeParser
        def self.singleton
          @singleton ||= new
        end

        def parse(text, _context = nil)
          Ordain.ask_value('type', text.to_s)
        end
      end

      class TypeCalculator
        class << self
          def singleton
            self
          end

          def new
            self
          end

          def infer(value)
            Ordain.ask_value('infer', Ordain::Wire.pack(value), false)
          end

          def infer_set(value)
            Ordain.ask_value('infer', Ordain::Wire.pack(value), true)
          end

          def infer_generic(value)
            infer(value).generalize
          end

          def generalize(type)
            type.generalize
          end

          def instance?(type, value)
            type.instance?(value)
          end

          def assignable?(to, from)
            to.assignable?(from)
          end

          def string(type)
            type.to_s
          end

          def iterable(value)
            Iterable.on(value)
          end
        end
      end

      # Types made in code, by their text.
      module TypeFactory
        class << self
          { any: 'Any', data: 'Data', rich_data: 'RichData', string: 'String', boolean: 'Boolean', undef: 'Undef',
            numeric: 'Numeric', scalar: 'Scalar', scalar_data: 'ScalarData', regexp: 'Regexp', default: 'Default',
            binary: 'Binary', sensitive: 'Sensitive', collection: 'Collection', all_callables: 'Callable',
            hash_of_data: 'Hash[String, Data]', array_of_data: 'Array[Data]', semver: 'SemVer', timestamp: 'Timestamp',
            timespan: 'Timespan', uri: 'URI', iterable: 'Iterable', catalog_entry: 'CatalogEntry' }.each do |name, text|
            define_method(name) { |*| parse(text) }
          end

          def integer(from = nil, to = nil)
            from || to ? range(from, to) : parse('Integer')
          end

          def range(from, to)
            parse("Integer[#{from || 'default'}, #{to || 'default'}]")
          end

          def float(*)
            parse('Float')
          end

          def array_of(type, *)
            parse("Array[#{type}]")
          end

          def hash_of(value, key = 'Scalar', *)
            parse("Hash[#{key}, #{value}]")
          end
          alias hash_kv hash_of

          def optional(type)
            parse("Optional[#{type}]")
          end

          def not_undef(type = nil)
            parse(type ? "NotUndef[#{type}]" : 'NotUndef')
          end

          def variant(*types)
            parse("Variant[#{types.join(', ')}]")
          end

          def tuple(types, *)
            parse("Tuple[#{types.join(', ')}]")
          end

          def enum(*values)
            parse("Enum[#{values.map { |value| "'#{value}'" }.join(', ')}]")
          end

          def type_type(type = nil)
            parse(type ? "Type[#{type}]" : 'Type')
          end

          def type_of(value)
            TypeCalculator.infer(value)
          end

          def resource(type = nil, title = nil)
            name = type && type.to_s.split('::').map(&:capitalize).join('::')
            parse(name ? (title ? "#{name}['#{title}']" : name) : 'Resource')
          end

          def host_class(name = nil)
            parse(name ? "Class['#{name}']" : 'Class')
          end

          private

          def parse(text)
            TypeParser.singleton.parse(text)
          end
        end
      end

      class TypeFormatter
        def self.singleton
          @singleton ||= new
        end

        def string(type)
          type.to_s
        end
        alias alias_expanded_string string
      end

      class TypeMismatchDescriber
        class << self
          def singleton
            @singleton ||= new
          end

          def describe_mismatch(name, expected, actual, *)
            singleton.describe_mismatch(name, expected, actual)
          end
        end

        def describe_mismatch(name, expected, actual, *)
          Ordain.ask('mismatch', name.to_s, expected.held, actual.held)
        end
      end

      module TypeAsserter
        class << self
          def assert_instance_of(subject, expected, value, nil_ok = false, &block)
            return value if (value.nil? && nil_ok) || expected.instance?(value)

            subject = block.call if subject.nil? && block
            subject = format(subject[0], *subject[1..]) if subject.is_a?(Array)
            actual = TypeCalculator.infer_set(value)
            raise TypeAssertionError, TypeMismatchDescriber.singleton.describe_mismatch(subject, expected, actual)
          end

          def assert_assignable(subject, expected, actual)
            return actual if expected.assignable?(actual)

            raise TypeAssertionError, TypeMismatchDescriber.singleton.describe_mismatch(subject, expected, actual)
          end
        end
      end

      class TypeAssertionError < Puppet::Error; end

      # Values that can be iterated.
      module Iterable
        class << self
          def on(value, _type = nil, _infer = false)
            case value
            when Array, Range, Enumerator then value.each
            when Hash then value.map { |key, item| [key, item] }.each
            when String then value.each_char
            when Integer then value.negative? ? nil : value.times
            when Held then Ordain.call_function(Ordain.global_scope, 'map', [value], proc { |item| item }).each
            end
          end

          def asserted_iterable(caller, value, infer = false)
            on(value, nil, infer) or
              raise ArgumentError, "#{caller.class}(): wrong argument type (#{value.class}; is not Iterable."
          end
        end
      end

      Held = Ordain::Held
    end

    module Evaluator
      # `break` of a lambda.
      class PuppetStopIteration < StopIteration; end

      class Runtime3Converter
        def self.convert(value, *)
          value
        end

        def self.map_args(args, *)
          Parser::Functions.old_arguments(args)
        end
      end

      Runtime3FunctionArgumentConverter = Runtime3Converter
    end

    module Time
      class Timestamp
        class << self
          def now
            Ordain.call_function(Ordain.global_scope, 'new', [Types::TypeParser.singleton.parse('Timestamp')])
          end

          def parse(text, *)
            Ordain.call_function(Ordain.global_scope, 'new', [Types::TypeParser.singleton.parse('Timestamp'), text])
          end
        end
      end
    end

    module Lookup
      module HieraConfig
        # Keys that are symbols as text, in all depths.
        def self.symkeys_to_string(value)
          case value
          when Hash then value.to_h { |key, item| [key.is_a?(Symbol) ? key.to_s : key, symkeys_to_string(item)] }
          when Array then value.map { |item| symkeys_to_string(item) }
          else value
          end
        end
      end
    end

    # The calls of Puppet code under way.
    module PuppetStack
      class << self
        def stacktrace
          Ordain.ask('stack')
        end

        def top_of_stack
          stacktrace.first || []
        end
      end
    end

    module Serialization
      # Values as plain JSON. Values of other types become hashes with their type.
      class ToDataConverter
        def self.convert(value, options = {})
          new(options).convert(value)
        end

        def initialize(options = {})
          @rich = options.fetch(:rich_data, true)
        end

        def convert(value)
          case value
          when nil, true, false, String, Numeric then value
          when Array then value.map { |item| convert(item) }
          when Hash then hash(value)
          when Symbol then value == :default ? tagged('Default') : value.to_s
          when Types::PSensitiveType::Sensitive then tagged('Sensitive', convert(value.unwrap))
          when Types::PBinaryType::Binary then tagged('Binary', value.to_s)
          when Regexp then tagged('Regexp', Ordain.regexp_source(value))
          else value.to_s
          end
        end

        private

        def hash(value)
          if value.each_key.all? { |key| key.is_a?(String) && key != '__ptype' }
            value.transform_values { |item| convert(item) }
          else
            tagged('Hash', value.flat_map { |key, item| [convert(key), convert(item)] })
          end
        end

        def tagged(type, value = nil)
          return value.to_s unless @rich

          value.nil? ? { '__ptype' => type } : { '__ptype' => type, '__pvalue' => value }
        end
      end
    end
  end
end

# Versions by the rules of https://semver.org.
module SemanticPuppet
  class Version
    include Comparable
    FORM = /\A(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?\z/.freeze

    class ValidationFailure < ArgumentError; end

    attr_reader :major, :minor, :patch

    class << self
      def parse(text)
        match = FORM.match(text.to_s) or
          raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier"
        new(match[1].to_i, match[2].to_i, match[3].to_i, match[4]&.split('.'), match[5]&.split('.'))
      end

      def valid?(text)
        FORM.match?(text.to_s)
      end
    end

    def initialize(major, minor, patch, prerelease = nil, build = nil)
      @major, @minor, @patch, @prerelease, @build = major, minor, patch, prerelease, build
    end

    def prerelease
      @prerelease&.join('.')
    end

    def build
      @build&.join('.')
    end

    def stable?
      @prerelease.nil?
    end

    def <=>(other)
      return nil unless other.is_a?(Version)

      order = [major, minor, patch] <=> [other.major, other.minor, other.patch]
      order.zero? ? Version.order(prerelease, other.prerelease) : order
    end

    def self.order(mine, theirs)
      return 0 if mine == theirs
      return 1 if mine.nil?
      return -1 if theirs.nil?

      rank = ->(part) { part.match?(/\A\d+\z/) ? [0, part.to_i, ''] : [1, 0, part] }
      mine.split('.').map(&rank) <=> theirs.split('.').map(&rank)
    end

    def eql?(other)
      (self <=> other) == 0
    end

    def hash
      to_s.hash
    end

    def to_s
      text = "#{major}.#{minor}.#{patch}"
      text += "-#{prerelease}" if @prerelease
      text += "+#{build}" if @build
      text
    end
    alias inspect to_s
  end

  # A range of versions, which the compile works on.
  class VersionRange
    def self.parse(text, *)
      new(text)
    end

    def initialize(text)
      @text = text
    end

    def include?(version)
      Ordain.ask('in_range', @text, version.to_s)
    end
    alias === include?
    alias member? include?
    alias cover? include?

    def to_s
      @text
    end
  end
end
