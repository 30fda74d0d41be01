# HTTP for code of modules, as `Puppet.runtime[:http]`.
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
      def initialize
        # Few use it, and it takes long to load.
        require 'net/http'
      end

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
end
