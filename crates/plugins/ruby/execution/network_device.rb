# The device that a provider works on, where it is not this machine.
module Puppet
  module Util
    class NetworkDevice
      class << self
        attr_reader :current

        def init(device)
          require "puppet/util/network_device/#{device.provider}/device"
          @current = const_get(device.provider.capitalize).const_get('Device').new(device.url, device.options)
        end

        def set_device(_name, device)
          @current = device
        end

        def teardown
          @current = nil
        end
      end

      # A device that is described by a file.
      module Simple
        class Device
          def initialize(url, _options = {})
            @url = URI.parse(url)
          end

          def facts
            {}
          end

          def config
            @config ||= ResourceApi::Transport::Wrapper.deep_symbolize(Hocon.load(@url.path) || {})
          end
        end
      end

      # A connection to a device.
      module Transport
        class Base
          attr_accessor :user, :password, :host, :port, :default_prompt, :timeout

          def initialize
            @timeout = 10
          end

          def send(_command); end
          def expect(_prompt); end
          def close; end
          def connect; end

          def handles_login?
            true
          end

          def command(command, options = {})
            send(command)
            expect(options[:prompt] || default_prompt) { |output| yield output if block_given? }
          end
        end
      end

      # A device by its address.
      class Base
        attr_accessor :url, :transport

        def initialize(url, options = {})
          @url = URI.parse(url)
          @autoloader = Autoload.new(self, 'puppet/util/network_device/transport')
          return unless @autoloader.load(@url.scheme)

          @transport = Transport.const_get(@url.scheme.capitalize).new(options[:debug])
          { host: @url.host, port: @url.port, user: @url.user, password: @url.password }.each do |name, value|
            @transport.public_send("#{name}=", value)
          end
        end
      end
    end
  end
end
