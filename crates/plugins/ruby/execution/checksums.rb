# Checksums of texts and files.
require 'digest'

module Puppet
  module Util
    module Checksums
      KNOWN = %i[sha256 sha256lite md5 md5lite sha1 sha1lite sha512 sha384 sha224 mtime ctime none].freeze
      DIGESTS = { md5: 'MD5', sha1: 'SHA1', sha256: 'SHA256', sha384: 'SHA384', sha512: 'SHA512' }.freeze
      # The bytes that the `lite` kinds look at.
      LITE = 512

      module_function

      def known_checksum_types
        KNOWN
      end

      def valid_checksum?(kind, value)
        sizes = { md5: 32, sha1: 40, sha224: 56, sha256: 64, sha384: 96, sha512: 128 }
        size = sizes[kind.to_s.delete_suffix('lite').to_sym]
        size ? value.to_s.match?(/\A[0-9a-f]{#{size}}\z/) : true
      end

      def checksum?(text)
        text.to_s.match?(/^\{(\w{3,9})\}\S+/)
      end

      def sumdata(text)
        text =~ /^\{(\w+)\}(.+)/ ? Regexp.last_match(2) : nil
      end

      def sumtype(text)
        text =~ /^\{(\w+)\}/ ? Regexp.last_match(1) : nil
      end

      DIGESTS.each do |name, digest|
        define_method(name) { |text| Digest.const_get(digest).hexdigest(text) }
        define_method("#{name}_file") { |path, lite = false| Digest.const_get(digest).hexdigest(File.binread(path, lite ? LITE : nil)) }
        define_method("#{name}_hex_length") { { md5: 32, sha1: 40, sha256: 64, sha384: 96, sha512: 128 }[name] }
        define_method("#{name}lite") { |text| public_send(name, text[0, LITE]) }
        define_method("#{name}lite_file") { |path| public_send("#{name}_file", path, true) }
        module_function name, "#{name}_file", "#{name}_hex_length", "#{name}lite", "#{name}lite_file"
      end

      def sha224(text)
        OpenSSL::Digest.new('SHA224').hexdigest(text)
      end

      def sha224_file(path)
        sha224(File.binread(path))
      end

      def mtime_file(path)
        File.stat(path).mtime
      end

      def ctime_file(path)
        File.stat(path).ctime
      end

      def none_file(*)
        ''
      end
    end
  end
end
