# Values on the wire of the provider process: plain JSON, and Puppet's rich data for the rest.
module Ordain
  module Wire
    MAX_DEPTH = 100
    TYPE = '__ptype'
    VALUE = '__pvalue'
    SENSITIVE = Puppet::Pops::Types::PSensitiveType::Sensitive
    BINARY = Puppet::Pops::Types::PBinaryType::Binary

    class << self
      def pack(value, depth = 0)
        raise Puppet::Error, "a value is nested more than #{MAX_DEPTH} levels deep" if depth > MAX_DEPTH

        case value
        when nil, true, false, Integer then value
        when String then text(value)
        when Symbol then value == :undef ? nil : value.to_s
        when Float then value.finite? ? value : value.to_s
        when Array, Set then value.map { |item| pack(item, depth + 1) }
        when Hash then value.to_h { |key, item| [text(key.to_s), pack(item, depth + 1)] }
        when SENSITIVE then { TYPE => 'Sensitive', VALUE => pack(value.unwrap, depth + 1) }
        when BINARY then { TYPE => 'Binary', VALUE => value.to_s }
        when Regexp then { TYPE => 'Regexp', VALUE => value.source }
        when Time then { TYPE => 'Timestamp', VALUE => value.strftime('%FT%T.%N %Z') }
        when SemanticPuppet::Version then { TYPE => 'SemVer', VALUE => value.to_s }
        else text(value.to_s)
        end
      end
      alias plain pack

      def unpack(data)
        case data
        when Array then data.map { |item| unpack(item) }
        when Hash then data.key?(TYPE) ? rich(data) : data.transform_values { |item| unpack(item) }
        else data
        end
      end

      # Text that JSON can hold.
      def text(value)
        value = value.to_str unless value.instance_of?(String)
        return value if value.encoding == Encoding::UTF_8 && value.valid_encoding?

        bytes = [Encoding::BINARY, Encoding::US_ASCII].include?(value.encoding)
        (bytes ? value.dup.force_encoding('UTF-8') : value.encode('UTF-8')).scrub
      rescue EncodingError
        value.dup.force_encoding('UTF-8').scrub
      end

      private

      def rich(data)
        value = data[VALUE]
        case data[TYPE]
        when 'Sensitive' then SENSITIVE.new(unpack(value))
        when 'Regexp' then Regexp.new(value)
        when 'Binary' then BINARY.from_base64(value)
        when 'Symbol' then value.to_sym
        when 'Default' then :default
        when 'SemVer' then SemanticPuppet::Version.parse(value)
        when 'Hash' then value.each_slice(2).to_h { |key, item| [unpack(key), unpack(item)] }
        when 'Timestamp' then Time.parse(value)
        when 'URI' then URI.parse(value)
        else value.nil? ? data : unpack(value)
        end
      end
    end
  end
end
