# The helpers of Puppet and Facter that functions use most.
require 'digest'

module Puppet
  module Util
    class RunMode
      def name
        :server
      end

      def server?
        true
      end
      alias master? server?

      def agent?
        false
      end
      alias user? agent?
    end

    class << self
      def absolute_path?(path, platform = :posix)
        case platform
        when :windows then path.match?(%r{\A(?:[A-Za-z]:[\\/]|[\\/][\\/][^\\/]+[\\/][^\\/]+)})
        else path.is_a?(String) && path.start_with?('/')
        end
      end

      def which(program)
        return (File.executable?(program) ? program : nil) if program.include?('/')

        ENV['PATH'].to_s.split(':').map { |dir| File.join(dir, program) }.find { |file| File.file?(file) && File.executable?(file) }
      end

      # The same number for the same seed.
      def deterministic_rand(seed, max)
        deterministic_rand_int(seed, max).to_s
      end

      def deterministic_rand_int(seed, max)
        Random.new(seed).rand(max)
      end

      def symbolizehash(hash)
        hash.to_h { |name, value| [name.is_a?(String) ? name.intern : name, value] }
      end

      def execute(*args)
        Execution.execute(*args)
      end

      def withenv(variables, _mode = :posix)
        before = ENV.to_hash
        variables.each { |name, value| ENV[name.to_s] = value }
        yield
      ensure
        ENV.replace(before) if before
      end

      def get_env(name, _mode = nil)
        ENV[name.to_s]
      end

      def set_env(name, value = nil, _mode = nil)
        ENV[name.to_s] = value
      end

      def safe_yaml_load(text, *)
        Yaml.safe_load(text)
      end

      def create_erb(text)
        Ordain::Templates.erb(text)
      end

      def exit_on_fail(*)
        yield
      end

      def benchmark(*)
        yield
      end

      def thinmark
        yield
        0
      end

      def logmethods(*); end
    end

    %i[which absolute_path? execute symbolizehash withenv get_env set_env].each do |name|
      define_method(name) { |*args, &block| Util.public_send(name, *args, &block) }
    end

    # Running programs.
    module Execution
      # The output of a program, and its status.
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(text, status)
          super(text)
          @exitstatus = status
        end
      end

      class << self
        def execute(command, options = {})
          options = { failonfail: options.equal?(NO_OPTIONS), combine: false, squelch: false }.merge(options)
          require 'open3'
          words = command.is_a?(Array) ? command.flatten.map(&:to_s) : [command.to_s]
          words = [[words[0], words[0]], *words[1..]] if command.is_a?(Array)
          text, status = run(words, options)
          if options[:failonfail] && !status.success?
            shown = command.is_a?(Array) ? command.flatten.join(' ') : command
            raise ExecutionFailure, "Execution of '#{shown}' returned #{status.exitstatus}: #{text.strip}"
          end
          ProcessOutput.new(options[:squelch] ? '' : text, status.exitstatus)
        rescue SystemCallError => e
          raise ExecutionFailure, "Could not execute posix command: #{e.message}" if options[:failonfail]

          ProcessOutput.new('', 127)
        end

        def execpipe(command, failonfail = true)
          text = execute(command, failonfail: failonfail)
          block_given? ? yield(StringIO.new(text)) : text
        end

        def execfail(command, exception)
          execute(command, failonfail: true)
        rescue ExecutionFailure
          raise exception, "Execution of '#{command}' failed"
        end

        private

        def run(words, options)
          environment = (options[:custom_environment] || {}).to_h { |name, value| [name.to_s, value&.to_s] }
          settings = { stdin_data: options[:stdinfile] ? File.read(options[:stdinfile]) : '' }
          settings[:chdir] = options[:cwd] if options[:cwd]
          return Open3.capture2e(environment, *words, **settings) if options[:combine]

          text, _, status = Open3.capture3(environment, *words, **settings)
          [text, status]
        end
      end

      NO_OPTIONS = {}.freeze

      def execute(*args)
        Execution.execute(*args)
      end
    end

    module Json
      class ParseError < StandardError; end

      class << self
        def load(text)
          JSON.parse(text)
        rescue JSON::ParserError => e
          raise ParseError, e.message
        end

        def load_file(path)
          load(File.read(path, encoding: 'UTF-8'))
        end

        def load_file_if_valid(path, *)
          load_file(path)
        rescue StandardError
          nil
        end

        def dump(value, options = {})
          options.empty? ? JSON.generate(value) : JSON.generate(value, options)
        end
      end
    end

    module Yaml
      class YamlLoadError < Puppet::Error; end

      class << self
        def safe_load(text, allowed = [], _file = nil)
          require 'yaml'
          value = YAML.safe_load(text, permitted_classes: allowed, aliases: true)
          value.nil? ? false : value
        rescue Psych::Exception => e
          raise YamlLoadError, e.message
        end

        def safe_load_file(path, allowed = [])
          safe_load(File.read(path, encoding: 'UTF-8'), allowed)
        end
        alias load_file safe_load_file

        def safe_load_file_if_valid(path, allowed = [])
          safe_load_file(path, allowed)
        rescue StandardError
          nil
        end

        def dump(value, path)
          require 'yaml'
          File.write(path, value.to_yaml)
        end
      end
    end

    # Versions of packages in order. Custom facts use it where no compile could answer.
    module Package
      module_function

      # As RPM compares: numbers by value, words by their letters, and marks by their kind.
      def versioncmp(one, other, ignore_trailing_zeroes = false)
        parts = [one.to_s, other.to_s].map do |text|
          text = text.sub(/([\w.]*?)((?:\.0+)+)(-|\z)/) { "#{Regexp.last_match(1)}#{Regexp.last_match(3)}" } if ignore_trailing_zeroes
          text.scan(/[-.]|\d+|[^-.\d]+/)
        end
        first, second = parts
        until first.empty? || second.empty?
          order = order_of(first.shift, second.shift)
          return order unless order.zero?
        end
        one.to_s <=> other.to_s
      end

      def order_of(one, other)
        return 0 if one == other
        return -1 if one == '-'
        return 1 if other == '-'
        return -1 if one == '.'
        return 1 if other == '.'
        return one.to_i <=> other.to_i if [one, other].all? { |part| part.match?(/\A[1-9]\d*\z/) }

        one.upcase <=> other.upcase
      end
    end

    # Operations on files for applying a catalog.
    module Backups; end

    module Checksums
      module_function

      def known_checksum_types
        %i[sha256 sha256lite md5 md5lite sha1 sha1lite sha512 sha384 sha224 mtime ctime none]
      end

      def md5(text)
        Digest::MD5.hexdigest(text)
      end

      def sha1(text)
        Digest::SHA1.hexdigest(text)
      end

      def sha256(text)
        Digest::SHA256.hexdigest(text)
      end

      def sha512(text)
        Digest::SHA512.hexdigest(text)
      end

      def known_checksum_types
        %i[sha256 sha256lite md5 md5lite sha1 sha1lite sha512 sha384 sha224 mtime ctime none]
      end
    end

    module Platform
      module_function

      def windows?
        false
      end

      def linux?
        true
      end

      def jruby?
        false
      end
    end

    module Errors
      def fail(*args)
        error = args[0].is_a?(Class) ? args.shift : Puppet::Error
        raise error, args.grep_v(Exception).join(' ')
      end

      def devfail(message)
        raise Puppet::DevError, message
      end

      def error_context
        ''
      end
    end

    module Logging
      Puppet::LEVELS.each { |level| define_method(level) { |message| Puppet.public_send(level, message) } }

      def warn_once(*args)
        Puppet.warn_once(*args)
      end

      def deprecation_warning(*args)
        Puppet.deprecation_warning(*args)
      end
    end

    module Warnings
      module_function

      def warnonce(message)
        Puppet.warn_once('warnings', message, message)
      end

      %i[debug_once notice_once].each { |name| define_method(name) { |*| nil } }
    end

    # Modes of files, octal or in letters.
    module SymbolicFileMode
      OCTAL = /^0?[0-7]{1,4}$/.freeze
      PART = /[ugoa]*[-=+][-=+rstwxXugo]*/.freeze

      class << self
        def valid?(value)
          value.match?(OCTAL) || value.match?(/^#{PART}(?:,#{PART})*$/)
        end

        # Without leading zeros; identifiers with letters stay unchanged.
        def normal(value)
          value.match?(OCTAL) ? value.sub(/^0*/, '').then { |text| text.empty? ? '0' : text } : value
        end
      end

      def valid_symbolic_mode?(value)
        SymbolicFileMode.valid?(value.to_s)
      end

      def normalize_symbolic_mode(value)
        SymbolicFileMode.normal(value.to_s)
      end
    end

    module MethodHelper; end
    module ClassGen; end
    module Diff; end
    module SELinux; end
  end

  module DataSync; end

  module FileSystem
    class << self
      %i[exist? directory? file? symlink? readlink executable? size binread read lstat stat writable?].each do |name|
        define_method(name) { |path, *args, **options| File.public_send(name, path.to_s, *args, **options) }
      end

      def read_preserve_line_endings(path)
        File.read(path.to_s, encoding: 'UTF-8')
      end

      def pathname(path)
        Pathname.new(path)
      end

      def children(path)
        Dir.children(path.to_s).map { |name| File.join(path.to_s, name) }
      end

      def basename_string(path)
        File.basename(path.to_s)
      end

      def dir_string(path)
        File.dirname(path.to_s)
      end

      def each_line(path, &block)
        File.foreach(path.to_s, &block)
      end
    end
  end

  module SSL; end
  module Network; end
  module HTTP; end
end
