# Parts of Puppet that speak with servers. There is no server of Puppet here, but HTTP works.
require 'net/http'

module Puppet
  module Network
    # Older code asks for connections by host.
    module HttpPool
      class << self
        def connection(host, port, options = {})
          made = Net::HTTP.new(host, port)
          made.use_ssl = options.fetch(:use_ssl, true)
          made
        end

        def http_instance(host, port, use_ssl = true, _verify = true)
          connection(host, port, use_ssl: use_ssl)
        end
        alias http_ssl_instance http_instance
      end
    end

    module HTTP; end
  end

  module SSL
    class Host; end
    class Certificate; end
    class SSLContext; end

    class SSLProvider
      def load_context(*)
        raise Puppet::Error, 'there are no certificates of an agent of Puppet here'
      end
    end
  end

  module FileServing
    # Files of modules and of this machine by `source`.
    class Found
      attr_reader :path, :source

      def initialize(source, path)
        @source, @path = source, path
      end
      alias full_path path

      def content
        File.binread(path)
      end

      def ftype
        File.ftype(path)
      end

      def checksum
        "{sha256}#{Digest::SHA256.file(path).hexdigest}"
      end

      def checksum_type
        'sha256'
      end

      %i[mode owner group].zip(%i[mode uid gid]).each do |name, field|
        define_method(name) { File.stat(path).public_send(field) & (name == :mode ? 0o7777 : -1) }
      end

      def collect(*); end
    end

    # Finds them.
    module Finder
      class << self
        def indirection
          self
        end

        def find(source, *)
          path = path_of(source.to_s)
          path && File.exist?(path) ? Found.new(source, path) : nil
        end

        def search(source, *)
          path = path_of(source.to_s)
          path && File.directory?(path) ? Dir.glob("#{path}/**/*").map { |file| Found.new(source, file) } : []
        end

        private

        def path_of(source)
          case source
          when %r{\A/} then source
          when %r{\Afile://[^/]*(/.*)\z} then URI.decode_www_form_component(Regexp.last_match(1))
          when %r{\Apuppet://[^/]*/modules/([^/]+)/(.+)\z}
            dir = Ordain.info['modules'][Regexp.last_match(1)]
            dir && File.join(dir, 'files', Regexp.last_match(2))
          end
        end
      end
    end

    Content = Finder
    Metadata = Finder
  end

  module FileBucket
    class Dipper
      def initialize(*); end

      def backup(path)
        Ordain::Bucket.backup(path)
      end
    end

    class File
      def self.indirection
        Ordain::Indirection
      end
    end
  end

  class Application
    class << self
      def stop_requested?
        false
      end

      def run_mode
        Puppet.run_mode
      end
    end
  end

  module Face; end
  class Interface; end
  class Configurer; end
  module GettextConfig; end
  class Metatype; end

  module Util
    class HttpProxy
      def self.http_proxy_env
        uri = ENV['http_proxy'] || ENV['HTTP_PROXY']
        uri && URI.parse(uri)
      end
    end
  end
end
