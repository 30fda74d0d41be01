# Commands that types derived from `exec` run.
module Puppet
  class Provider
    class Exec < Provider
      def environment
        given = resource[:environment]
        return {} unless given

        [given].flatten.to_h do |one|
          match = /\A(\w+)=((.|\n)*)\z/.match(one) or raise ArgumentError, "Invalid environment setting '#{one}'"
          match.captures.first(2)
        end
      end

      # The output and status of a command under the settings of the resource.
      def run(command, check = false)
        checkexe(command)
        Puppet.debug { "Executing#{check ? ' check' : ''} '#{command}'" }
        limit = resource[:timeout].to_f
        variables = environment
        variables['PATH'] = [resource[:path]].flatten.join(':') if resource[:path]
        output = Timeout.timeout(limit.positive? ? limit : nil) do
          Puppet::Util::Execution.execute(
            command, failonfail: false, combine: true, cwd: resource[:cwd], uid: resource[:user], gid: resource[:group],
                     override_locale: false, custom_environment: variables, sensitive: false
          )
        end
        [output, Status.new(output.exitstatus)]
      rescue Timeout::Error
        raise Puppet::Error, "Command exceeded timeout"
      end

      Status = Struct.new(:exitstatus) do
        def success?
          exitstatus.zero?
        end
      end

      def extractexe(command)
        command = command.first if command.is_a?(Array)
        match = /^"([^"]+)"|^'([^']+)'/.match(command)
        match ? match.captures.compact.first : command.split(/ /)[0]
      end

      def checkexe(_command); end

      def validatecmd(_command)
        true
      end
    end
  end
end
