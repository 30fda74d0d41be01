# Methods of `Puppet::Util`, which providers and types include.
module Puppet
  module Util
    # As methods of the module and of all that include it.
    module Helpers
      def get_env(name, _mode = nil)
        ENV[name.to_s]
      end

      def set_env(name, value = nil, _mode = nil)
        ENV[name.to_s] = value
      end

      def get_environment(_mode = nil)
        ENV.to_hash
      end

      def clear_environment(_mode = nil)
        ENV.clear
      end

      def merge_environment(values, _mode = nil)
        values.each { |name, value| ENV[name.to_s] = value }
      end

      def withumask(mask)
        before = File.umask(mask)
        yield
      ensure
        File.umask(before)
      end

      def chuser; end

      def path_to_uri(path)
        URI::Generic.build(scheme: 'file', path: uri_encode(path))
      end

      def uri_to_path(uri)
        URI.decode_www_form_component(uri.path.gsub('+', '%2B')) if uri.is_a?(URI)
      end

      def uri_encode(text, _options = {})
        text.to_s.b.gsub(%r{[^\w.~:/?#\[\]@!$&'()*+,;=-]}n) { |byte| format('%%%02X', byte.ord) }
      end

      def uri_query_encode(text)
        text.to_s.b.gsub(/[^\w.~-]/n) { |byte| format('%%%02X', byte.ord) }
      end

      def rfc2396_escape(text)
        uri_encode(text)
      end

      def replace_file(file, mode, &block)
        FileSystem.replace_file(file, mode.is_a?(String) ? mode.to_i(8) : mode, &block)
      end

      def safe_posix_fork(stdin = $stdin, stdout = $stdout, stderr = $stderr)
        fork do
          $stdin.reopen(stdin)
          $stdout.reopen(stdout)
          $stderr.reopen(stderr)
          yield
        end
      end

      def pretty_backtrace(trace = caller(1))
        trace.is_a?(Array) ? trace.join("\n") : trace
      end

      def memory
        File.read('/proc/self/statm').split[1].to_i * 4
      end

      def symbolizehash!(hash)
        hash.replace(Util.symbolizehash(hash))
      end

      def execfail(*args)
        Execution.execfail(*args)
      end

      def execpipe(*args, &block)
        Execution.execpipe(*args, &block)
      end

      def deterministic_rand(seed, max)
        deterministic_rand_int(seed, max).to_s
      end

      def deterministic_rand_int(seed, max)
        Random.new(seed).rand(max)
      end

      def thinmark
        begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        yield
        Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun
      end

      def benchmark(*)
        thinmark { yield }
      end

      def exit_on_fail(_message, _code = 1)
        yield
      end

      def logmethods(*); end
    end

    include Helpers
    extend Helpers
    extend POSIX
    include POSIX

    AbsolutePathPosix = %r{^/}.freeze
    AbsolutePathWindows = %r{^(?:(?:[A-Z]:[\\/])|([\\/][\\/][^\\/]+[\\/][^\\/]+))}i.freeze
  end

  # Classes that included the module before it had these methods.
  [Type, Provider, Provider.singleton_class, Parameter].each { |holder| holder.include(Util) }
end

module Puppet
  class Node
    class Environment
      def each_plugin_directory(&block)
        Ordain.info['libs'].each(&block)
      end

      def validate?
        true
      end
    end
  end
end

class Object
  # A method of this object alone, as Puppet lets all objects have them.
  def meta_def(name, &block)
    define_singleton_method(name, &block)
  end
end
