# The device that a provider works on, where it is not this machine.
module Puppet
  module Util
    module NetworkDevice
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
    end
  end
end
