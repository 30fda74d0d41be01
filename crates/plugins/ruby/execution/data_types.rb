# Data types of Puppet, for attributes of the Resource API and the functions of modules: whether a value is of a
# type, and in words why not.
module Ordain
  # A data type: its name, and the parameters in brackets.
  class DataType < Puppet::Pops::Types::PAnyType
    attr_reader :base, :args

    def initialize(base, args = [])
      @base, @args = base, args
    end

    def name
      base
    end
    alias simple_name name

    def to_s
      args.empty? ? base : "#{base}[#{args.map { |arg| show(arg) }.join(', ')}]"
    end
    alias inspect to_s

    def ==(other)
      other.is_a?(DataType) && to_s == other.to_s
    end
    alias eql? ==

    def hash
      to_s.hash
    end

    def optional?
      base == 'Optional'
    end

    def instance?(value, _guard = nil)
      DataTypes.instance?(self, value)
    end

    def assignable?(other, _guard = nil)
      other.to_s == to_s || base == 'Any'
    end

    def generalize
      DataType.new(base)
    end

    # The type within, as in `Optional[String]`.
    def type
      args[0].is_a?(String) ? DataType.new('Enum', args) : args[0]
    end
    alias element_type type

    def types
      args
    end
    alias values types

    private

    def show(arg)
      case arg
      when String then "'#{arg}'"
      when Regexp then "/#{arg.source}/"
      when Hash then "{#{arg.map { |key, value| "#{key} => #{value}" }.join(', ')}}"
      else arg.to_s
      end
    end
  end

  # Types with classes of their own in Puppet, which code compares with.
  TYPE_CLASSES = %w[Optional Array Hash Boolean Integer Float Numeric Enum String Pattern Variant Struct Tuple].freeze
  TYPE_CLASSES.each do |name|
    constant = "P#{name}Type"
    Puppet::Pops::Types.send(:remove_const, constant) if Puppet::Pops::Types.const_defined?(constant, false)
    Puppet::Pops::Types.const_set(constant, Class.new(DataType))
  end

  module DataTypes
    # Makes a type of its text.
    class Parser
      TOKEN = %r{
        \s*(?:(?<regexp>/(?:\\.|[^/\\])*/) | (?<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?) | (?<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")
        | (?<name>(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*) | (?<word>[a-z_]\w*(?:(?:::|-)\w+)*) | (?<mark>=>|[\[\]{},]))
      }x.freeze

      def initialize(text)
        @text, @at = text.to_s, 0
        advance
      end

      def parse
        type = expression
        fail_at unless @kind.nil?
        raise Puppet::ParseError, "The expression <#{@text.strip}> is not a valid type specification." unless type.is_a?(DataType)

        type
      end

      private

      def advance
        match = TOKEN.match(@text, @at)
        match = nil unless match && match.begin(0) == @at
        fail_at if match.nil? && !@text[@at..].to_s.strip.empty?
        return @kind = @token = nil unless match

        @at = match.end(0)
        @kind = match.names.find { |name| match[name] }
        @token = match[@kind]
      end

      def fail_at
        raise Puppet::ParseError, "The expression <#{@text.strip}> is not a valid type specification."
      end

      def take(mark)
        return false unless @kind == 'mark' && @token == mark

        advance
        true
      end

      def expression
        token, kind = @token, @kind
        case kind
        when 'regexp' then advance && nil
                           Regexp.new(token[1..-2].gsub('\/', '/'))
        when 'number' then advance && nil
                           token.match?(/[.eE]/) ? token.to_f : token.to_i
        when 'text' then advance && nil
                         token[1..-2].gsub(/\\(['"\\])/, '\1')
        when 'word' then advance && nil
                         { 'default' => :default, 'true' => true, 'false' => false, 'undef' => nil }.fetch(token, token)
        when 'name' then type
        when 'mark' then token == '{' ? hash : fail_at
        else fail_at
        end
      end

      def type
        name = @token.delete_prefix('::')
        advance
        DataTypes.make(name, take('[') ? list(']') : [])
      end

      def list(close)
        items = []
        until take(close)
          items << expression
          next if take(',')

          fail_at unless @token == close
        end
        items
      end

      def hash
        take('{')
        pairs = {}
        until take('}')
          key = expression
          fail_at unless take('=>')
          pairs[key] = expression
          next if take(',')

          fail_at unless @token == '}'
        end
        pairs
      end
    end

    KNOWN = %w[Any Data RichData Scalar ScalarData Numeric Integer Float String Boolean Enum Pattern Regexp Array Hash
               Struct Tuple Optional NotUndef Variant Undef Default Sensitive Collection Iterable Iterator Type
               CatalogEntry Callable Timestamp Timespan SemVer SemVerRange Binary URI Runtime Init Object Class
               Resource Deferred Error].freeze
    @aliases = {}
    @parsed = {}

    class << self
      def parse(text)
        @parsed[text] ||= Parser.new(text).parse
      end

      def make(name, args)
        kind = TYPE_CLASSES.include?(name) ? Puppet::Pops::Types.const_get("P#{name}Type") : DataType
        kind.new(name, args)
      end

      def instance?(type, value)
        check = "is_#{type.base.downcase}"
        return send(check, type, value) if KNOWN.include?(type.base) && respond_to?(check, true)

        resolved = KNOWN.include?(type.base) ? nil : alias_of(type.base)
        resolved.nil? || resolved.instance?(value)
      end

      # The type of a value, as messages have it.
      def name_of(value)
        case value
        when nil, :undef then 'Undef'
        when true, false then 'Boolean'
        when Integer then 'Integer'
        when Float then 'Float'
        when String, Symbol then 'String'
        when Array then value.empty? ? 'Array' : (value.size > 1 ? 'Tuple' : 'Array')
        when Hash then value.empty? ? 'Hash' : 'Struct'
        when Wire::SENSITIVE then 'Sensitive'
        when :default then 'Default'
        else value.class.name.to_s
        end
      end

      # Why a value is not of a type.
      def mismatch(subject, type, value)
        start = subject.to_s.empty? ? 'expects' : "#{subject} expects"
        types = alternatives(type)
        return container_mismatch(subject, container_of(types, value), value, start) if container_of(types, value)
        return no_match(start, types, value) if value.is_a?(String) && types.any? { |one| %w[Enum Pattern].include?(one.base) }

        got = name_of(value)
        detailed = types.any? { |one| one.base == got }
        names = types.map { |one| detailed ? one.to_s : one.base }
        got = "#{got}[#{value}, #{value}]" if detailed && value.is_a?(Numeric)
        return "#{start} a value of type #{list_of(names)}, got #{got}" if names.size > 1

        name = %w[Enum Pattern Sensitive].include?(types[0].base) ? types[0].to_s : names[0]
        return "#{start} a match for #{name}, got #{got}" if %w[Enum Pattern].include?(types[0].base)

        "#{start} #{article(name)} #{name} value, got #{got}"
      end

      private

      # The types that a type allows, with the one of no value first.
      def alternatives(type)
        case type.base
        when 'Optional' then [DataType.new('Undef'), *(type.args.empty? ? [] : alternatives(type.type))]
        when 'Variant' then type.args.flat_map { |one| alternatives(one) }.uniq
        else [type]
        end
      end

      # The only type for lists or hashes, for such a value.
      def container_of(types, value)
        bases = case value
                when Array then %w[Array Tuple]
                when Hash then %w[Hash Struct]
                else return nil
                end
        fitting = types.select { |one| bases.include?(one.base) }
        fitting.size == 1 ? fitting[0] : nil
      end

      def no_match(start, types, value)
        others = types.reject { |one| one.base == 'Undef' }
        shown = others.size > 1 ? "Variant[#{others.join(', ')}]" : others[0].to_s
        undef_too = others.size < types.size ? 'an undef value or ' : ''
        "#{start} #{undef_too}a match for #{shown}, got '#{value}'"
      end

      def article(name)
        name.match?(/\A[AEIOU]/) ? 'an' : 'a'
      end

      def list_of(names)
        return names.join(' or ') if names.size < 3

        "#{names[0..-2].join(', ')}, or #{names.last}"
      end

      def container_mismatch(subject, type, value, start)
        case type.base
        when 'Array', 'Hash' then part_mismatch(subject, type, value, start)
        when 'Tuple' then tuple_mismatch(subject, type, value, start)
        else struct_mismatch(subject, type, value, start)
        end
      end

      def part_mismatch(subject, type, value, start)
        types, range = type.args.partition { |one| one.is_a?(DataType) }
        return size_mismatch(start, range, value.size) unless in_range?(range, value.size)

        item = types.last
        if value.is_a?(Array)
          index = value.index { |one| !item.instance?(one) }
          return mismatch("#{subject} index #{index}".strip, item, value[index])
        end
        key, found = value.find { |name, one| !types[0].instance?(name) || !item.instance?(one) }
        return mismatch("#{subject} key of entry '#{key}'".strip, types[0], key) unless types[0].instance?(key)

        mismatch("#{subject} entry '#{key}'".strip, item, found)
      end

      def tuple_mismatch(subject, type, value, start)
        types, range = type.args.partition { |one| one.is_a?(DataType) }
        range = [types.size, types.size] if range.empty?
        return size_mismatch(start, range, value.size) unless in_range?(range, value.size)

        index = value.each_index.find { |at| !(types[at] || types.last).instance?(value[at]) }
        mismatch("#{subject} index #{index}".strip, types[index] || types.last, value[index])
      end

      def struct_mismatch(subject, type, value, start)
        members = (type.args[0] || {}).map { |key, one| [member_name(key), key, one] }
        needed = members.reject { |_, key, one| may_lack?(key, one) }
        return size_mismatch(start, [needed.size, members.size], value.size) if value.empty? && !needed.empty?

        lines = members.filter_map do |name, key, one|
          found = [name, name.to_sym].find { |given| value.key?(given) }
          next mismatch("#{subject} entry '#{name}'".strip, one, value[found]) if found && !one.instance?(value[found])

          "#{start} a value for key '#{name}'" if found.nil? && !may_lack?(key, one)
        end
        names = members.map(&:first)
        lines += value.keys.reject { |key| names.include?(key.to_s) }.map { |key| "#{subject} unrecognized key '#{key}'".strip }
        lines.size == 1 ? lines[0] : lines.map { |line| "\n  #{line}" }.join.sub("\n ", '')
      end

      def size_mismatch(start, range, size)
        low, high = range
        wanted = if high.nil? || high == :default then "at least #{low}"
                 elsif low == high then low.to_s
                 else "between #{low} and #{high}"
                 end
        "#{start} size to be #{wanted}, got #{size}"
      end

      # The definition of a type that a module names.
      def alias_of(name)
        return @aliases[name] if @aliases.key?(name)

        @aliases[name] = nil
        parts = name.split('::').map { |part| part.gsub(/([a-z\d])([A-Z])/, '\1_\2').downcase }
        dir = Ordain.info['modules'][parts[0]] or return nil
        file = File.join(dir, 'types', *(parts.size > 1 ? parts[1..] : ['init']))
        file = [file, file.delete('_')].map { |path| "#{path}.pp" }.find { |path| File.file?(path) } or return nil
        text = File.read(file, encoding: 'UTF-8').gsub(/^\s*#.*$/, '')
        body = text[/type\s+(?:::)?#{Regexp.escape(name)}\s*=\s*(.*)\z/m, 1]
        @aliases[name] = body && parse(body)
      rescue Puppet::ParseError
        nil
      end

      def in_range?(args, number)
        low, high = args
        (low.nil? || low == :default || number >= low) && (high.nil? || high == :default || number <= high)
      end

      def is_any(_type, _value) = true
      def is_undef(_type, value) = value.nil? || value == :undef
      def is_default(_type, value) = value == :default
      def is_boolean(type, value) = [true, false].include?(value) && (type.args.empty? || type.args[0] == value)
      def is_integer(type, value) = value.is_a?(Integer) && in_range?(type.args, value)
      def is_float(type, value) = value.is_a?(Float) && in_range?(type.args, value)
      def is_numeric(_type, value) = value.is_a?(Numeric)
      def is_regexp(_type, value) = value.is_a?(Regexp)
      def is_sensitive(type, value) = value.is_a?(Wire::SENSITIVE) && (type.args.empty? || type.args[0].instance?(value.unwrap))
      def is_timestamp(_type, value) = value.is_a?(Time)
      def is_semver(_type, value) = value.is_a?(SemanticPuppet::Version)
      def is_binary(_type, value) = value.is_a?(Wire::BINARY)
      def is_uri(_type, value) = value.is_a?(URI::Generic)
      def is_collection(_type, value) = value.is_a?(Array) || value.is_a?(Hash)
      def is_iterable(_type, value) = value.is_a?(Enumerable) || value.is_a?(String) || value.is_a?(Integer)
      def is_type(_type, value) = value.is_a?(Puppet::Pops::Types::PAnyType)
      def is_callable(_type, value) = value.respond_to?(:call)
      def is_scalardata(_type, value) = value.is_a?(String) || value.is_a?(Numeric) || [true, false].include?(value)
      def is_scalar(type, value) = is_scalardata(type, value) || [Regexp, Time, SemanticPuppet::Version].any? { |kind| value.is_a?(kind) }

      def is_string(type, value)
        return false unless value.is_a?(String)
        return value == type.args[0] if type.args[0].is_a?(String)

        in_range?(type.args, value.size)
      end

      def is_enum(type, value)
        folds = type.args.last == true
        words = type.args.grep(String)
        value.is_a?(String) && (words.empty? || words.any? { |word| folds ? word.casecmp?(value) : word == value })
      end

      def is_pattern(type, value)
        value.is_a?(String) && type.args.any? { |one| (one.is_a?(Regexp) ? one : Regexp.new(one.to_s)).match?(value) }
      end

      def is_optional(type, value) = value.nil? || value == :undef || type.args.empty? || type.type.instance?(value)
      def is_notundef(type, value) = !value.nil? && value != :undef && (type.args.empty? || type.type.instance?(value))
      def is_variant(type, value) = type.args.any? { |one| one.instance?(value) }

      def is_array(type, value)
        item, *range = type.args
        item, range = nil, type.args if item.is_a?(Integer)
        value.is_a?(Array) && in_range?(range, value.size) && (item.nil? || value.all? { |one| item.instance?(one) })
      end

      def is_hash(type, value)
        key, item, *range = type.args
        value.is_a?(Hash) && in_range?(range, value.size) &&
          value.all? { |name, one| (!key.is_a?(DataType) || key.instance?(name)) && (!item.is_a?(DataType) || item.instance?(one)) }
      end

      def is_tuple(type, value)
        types, range = type.args.partition { |one| one.is_a?(DataType) }
        range = [types.size, types.size] if range.empty?
        value.is_a?(Array) && in_range?(range, value.size) &&
          value.each_with_index.all? { |one, index| (types[index] || types.last).instance?(one) }
      end

      def is_struct(type, value)
        members = (type.args[0] || {}).to_h { |key, one| [member_name(key), [key, one]] }
        value.is_a?(Hash) && value.keys.all? { |name| members.key?(name.to_s) } &&
          members.all? do |name, (key, one)|
            present = [name, name.to_sym].find { |found| value.key?(found) }
            present ? one.instance?(value[present]) : may_lack?(key, one)
          end
      end

      def member_name(key)
        key.is_a?(DataType) ? key.args[0].to_s : key.to_s
      end

      def may_lack?(key, type)
        key.is_a?(DataType) ? key.base == 'Optional' : type.instance?(nil)
      end

      def is_data(type, value)
        case value
        when nil, true, false, String, Integer, Float then true
        when Array then value.all? { |one| is_data(type, one) }
        when Hash then value.all? { |key, one| (key.is_a?(String) || key.is_a?(Symbol)) && is_data(type, one) }
        else false
        end
      end
    end
  end
end
