# Parts of Puppet that speak with servers. There is no server of Puppet here, but HTTP works.
require 'net/http'

module Puppet
  class Runtime
    def [](name)
      case name
      when :http then @http ||= HTTP::Client.new
      when :facter then Facter
      end
    end
  end

  module HTTP
    class HTTPError < Puppet::Error; end
    class ConnectionError < HTTPError; end
    class RequestError < HTTPError; end

    class ResponseError < HTTPError
      attr_reader :response

      def initialize(response)
        super(response.reason)
        @response = response
      end
    end

    # An answer.
    class Response
      attr_reader :url

      def initialize(url, answer)
        @url, @answer = url, answer
      end

      def code
        @answer.code.to_i
      end

      def reason
        @answer.message
      end

      def body
        @answer.body
      end

      def success?
        @answer.is_a?(Net::HTTPSuccess)
      end

      def [](name)
        @answer[name]
      end

      def each_header(&block)
        @answer.each_header(&block)
      end

      def read_body(&block)
        block.call(body)
      end
    end

    # A client for the commonest requests.
    class Client
      def get(url, headers: {}, params: {}, options: {}, **)
        request(Net::HTTP::Get, url, headers, params, nil, options)
      end

      def head(url, headers: {}, params: {}, options: {}, **)
        request(Net::HTTP::Head, url, headers, params, nil, options)
      end

      def put(url, body, headers: {}, params: {}, options: {}, **)
        request(Net::HTTP::Put, url, headers, params, body, options)
      end

      def post(url, body, headers: {}, params: {}, options: {}, **)
        request(Net::HTTP::Post, url, headers, params, body, options)
      end

      def delete(url, headers: {}, params: {}, options: {}, **)
        request(Net::HTTP::Delete, url, headers, params, nil, options)
      end

      private

      def request(kind, url, headers, params, body, options)
        url = URI.parse(url.to_s)
        url.query = [url.query, URI.encode_www_form(params)].compact.join('&') unless params.empty?
        made = kind.new(url, headers)
        made.body = body if body
        login = options[:basic_auth]
        made.basic_auth(login[:user], login[:password]) if login
        settings = { use_ssl: url.scheme == 'https', open_timeout: 120, read_timeout: 600 }
        Response.new(url, Net::HTTP.start(url.hostname, url.port, **settings) { |http| http.request(made) })
      rescue SystemCallError, SocketError, OpenSSL::SSL::SSLError => e
        raise ConnectionError, "Request to #{url} failed: #{e.message}"
      end
    end
  end

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
