# Encodes values as JSON. Types that JSON lacks become objects whose key `$` names the kind.
module Ordain
  # Something of the compile that Ruby code holds and hands back, but does not look into.
  module Held
    attr_reader :held
  end

  # The number of the compile's own requests. Held values are dropped after each.
  @requests = 0
  singleton_class.attr_accessor :requests

  # Objects of Ruby that the compile holds, by numbers.
  module Objects
    # The maximal number of held values. The compile cannot send older ones back.
    MAX_HELD = 10_000

    @numbers = {}.compare_by_identity
    @objects = {}
    @count = 0

    class << self
      # The number of an object, which is the same each time.
      def number(object)
        @numbers[object] ||= begin
          @numbers.delete(@objects.shift.last) if @objects.size >= MAX_HELD
          @objects[@count += 1] = object
          @count
        end
      end

      # The object of a number.
      def of(number)
        @objects.fetch(number) { raise Puppet::Error, 'an object of Ruby is used that is gone' }
      end
    end
  end

  # Values to JSON and back.
  module Wire
    MAX_DEPTH = 100
    INTEGERS = (-(2**63)..(2**63 - 1)).freeze
    # The modules that define the methods of all objects.
    IDENTITY = [BasicObject, Kernel, Object, Comparable].freeze

    class << self
      # A value as JSON. Lists and hashes in `known` are represented by their numbers.
      def pack(value, depth = 0, known = nil)
        raise Puppet::Error, "a value is nested more than #{MAX_DEPTH} levels deep" if depth > MAX_DEPTH

        case value
        when String then text(value)
        when nil, true, false then value
        when Integer then integer(value)
        when Array then known&.refer(value) || value.map { |item| pack(item, depth + 1, known) }
        when Hash then known&.refer(value) || hash(value, depth, known)
        when Float then value.finite? ? value : { '$' => 'float', 'v' => value.to_s }
        when Symbol then symbol(value)
        else object(value, depth, known)
        end
      end

      # A value as data. Types without a form in data are composed of numbers, lists and texts.
      def plain(value)
        case value
        when Integer, Float, String, nil, true, false then value
        when :undef then nil
        when Symbol then value.to_s
        when Numeric then value.respond_to?(:to_f) ? value.to_f : value.to_s
        when Hash then value.to_h { |key, item| [plain(key), plain(item)] }
        when Array, Set, Enumerator then value.map { |item| plain(item) }
        when Held, Regexp, Puppet::Resource, SemanticPuppet::Version, Puppet::Pops::Types::PBinaryType::Binary,
             Puppet::Pops::Types::PSensitiveType::Sensitive
          value
        else value.to_s
        end
      end

      # The content of a list or hash.
      def pack_parts(value, known)
        value.is_a?(Hash) ? hash(value, 0, known) : value.map { |item| pack(item, 1, known) }
      end

      def unpack(data)
        case data
        when Array then data.map { |item| unpack(item) }
        when Hash
          kind = data['$']
          kind.is_a?(String) ? tagged(kind, data) : data.transform_values { |item| unpack(item) }
        else data
        end
      end

      private

      def text(value)
        value = value.to_str unless value.instance_of?(String)
        return value if value.encoding == Encoding::UTF_8 && value.valid_encoding?

        utf8 = value.encoding == Encoding::BINARY ? value.dup.force_encoding('UTF-8') : value.encode('UTF-8')
        utf8.valid_encoding? ? utf8 : { '$' => 'bytes', 'v' => [value].pack('m0') }
      rescue EncodingError
        { '$' => 'bytes', 'v' => [value].pack('m0') }
      end

      def integer(value)
        INTEGERS.cover?(value) ? value : { '$' => 'integer', 'v' => value.to_s }
      end

      def symbol(value)
        case value
        when :undef then nil
        when :default then { '$' => 'default' }
        else { '$' => 'symbol', 'v' => value.to_s }
        end
      end

      def hash(value, depth, known)
        return value.transform_values { |item| pack(item, depth + 1, known) } if plain_keys?(value)

        { '$' => 'hash', 'v' => value.map { |key, item| [pack(key, depth + 1, known), pack(item, depth + 1, known)] } }
      end

      # Whether keys need no conversion to JSON. A loop is faster than `all?`.
      def plain_keys?(value)
        value.each_key do |key|
          return false unless key.instance_of?(String) && key != '$' && key.encoding == Encoding::UTF_8 && key.valid_encoding?
        end
        true
      end

      def object(value, depth, known)
        case value
        when Held then { '$' => 'held', 'id' => value.held }
        when Regexp then { '$' => 'regexp', 'v' => Ordain.regexp_source(value) }
        when Puppet::Pops::Types::PSensitiveType::Sensitive
          { '$' => 'sensitive', 'v' => pack(value.unwrap, depth + 1, known) }
        when Puppet::Pops::Types::PBinaryType::Binary then { '$' => 'binary', 'v' => value.to_s }
        when SemanticPuppet::Version then { '$' => 'semver', 'v' => value.to_s }
        when Puppet::Resource then { '$' => 'resource', 'type' => value.type.to_s, 'title' => value.title.to_s }
        else
          return { '$' => 'uri', 'v' => value.to_s } if defined?(URI::Generic) && value.is_a?(URI::Generic)

          runtime(value)
        end
      end

      # Puppet knows other objects by their class and their text.
      def runtime(value)
        of = value.class
        by_value = !IDENTITY.include?(value.method(:==).owner)
        said = text(value.to_s)
        { '$' => 'object', 'n' => Objects.number(value), 'class' => of.name,
          'ancestors' => of.ancestors.drop(1).filter_map(&:name), 'text' => said,
          'inspect' => IDENTITY.include?(value.method(:inspect).owner) ? said : text(value.inspect),
          'by_value' => by_value }
      end

      def tagged(kind, data)
        value = data['v']
        case kind
        when 'hash' then value.to_h { |key, item| [unpack(key), unpack(item)] }
        when 'default' then :default
        when 'float' then value == 'NaN' ? Float::NAN : (value.start_with?('-') ? -Float::INFINITY : Float::INFINITY)
        when 'sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(unpack(value))
        when 'binary' then Puppet::Pops::Types::PBinaryType::Binary.from_base64(value)
        when 'regexp' then Regexp.new(value)
        when 'symbol' then value.to_sym
        when 'integer' then Integer(value)
        when 'object' then Objects.of(data['n'])
        when 'semver' then SemanticPuppet::Version.parse(value)
        when 'resource' then Puppet::Parser::Resource.of(data)
        when 'block' then Ordain.block(data)
        when 'held' then Puppet::Pops::Types.of(data)
        when 'shared' then SharedValues.of(data['n'])
        when 'frozen' then SharedValues.frozen(data)
        else raise Puppet::DevError, "unknown kind of value: #{kind}"
        end
      end
    end
  end
end
