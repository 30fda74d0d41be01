# frozen_string_literal: true

require 'socket'

module Ordain
  module RSpecPuppet
    # A process that loads Ruby's code of Puppet and rspec-puppet once, and runs each suite in a copy of itself.
    module Preload
      # The variables that decide which code Ruby loads, and in which encoding it reads files. Each
      # combination has a process of its own.
      VARIABLES = %w[
        BUNDLE_GEMFILE GEM_HOME GEM_PATH HOME LANG LC_ALL LC_CTYPE RUBYLIB RUBYOPT
      ].freeze

      module_function

      # The path of the socket. Its directory belongs to the user and lets nobody else in.
      def socket_path
        directory = private_directory
        variables = VARIABLES.map { |variable| ENV[variable].to_s }
        # These may name directories below the current one.
        variables << Dir.pwd if ENV['RUBYLIB'].to_s.split(':').any? { |path| !path.start_with?('/') } || ENV['RUBYOPT']
        name = [RUBY_VERSION, __dir__, *variables].join("\0")
        File.join(directory, "#{checksum(name)}.socket")
      end

      def private_directory
        runtime = ENV['XDG_RUNTIME_DIR'].to_s
        base = runtime.empty? ? "/tmp/ordain-rspec-#{Process.uid}" : File.join(runtime, 'ordain-rspec')
        begin
          Dir.mkdir(base, 0o700)
        rescue Errno::EEXIST
          # It is checked below.
        end
        stat = File.lstat(base)
        return base if stat.directory? && stat.owned? && (stat.mode & 0o077).zero?

        raise "#{base} is not a directory that only this user can read"
      end

      # FNV-1a of 64 bits: a short name that does not need a library.
      def checksum(text)
        text.each_byte.reduce(0xcbf29ce484222325) { |hash, byte| ((hash ^ byte) * 0x100000001b3) & 0xffffffffffffffff }
            .to_s(16)
      end
    end
  end
end
