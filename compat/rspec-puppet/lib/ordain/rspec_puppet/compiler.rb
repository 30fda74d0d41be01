# frozen_string_literal: true

require 'json'

module Ordain
  module RSpecPuppet
    # A resident `ordain`, which answers a line with a line. `ORDAIN` is its path.
    class Compiler
      def self.instance
        @instance ||= new(ENV.fetch('ORDAIN', 'ordain'))
      end

      # Ends the program, if it runs.
      def self.stop
        @instance&.stop
        @instance = nil
      end

      def initialize(program)
        @pipe = IO.popen([program, 'compile', '--requests'], 'r+', external_encoding: 'UTF-8')
      rescue SystemCallError => error
        raise "cannot start #{program}: #{error.message}; set ORDAIN to its path"
      end

      def stop
        @pipe.close
      end

      # The catalog as Puppet's agents read it. Raises the error of the compile.
      def compile(request)
        @pipe.puts(JSON.generate(request))
        @pipe.flush
        line = @pipe.gets
        raise 'ordain ended without an answer' if line.nil?

        answer = JSON.parse(line)
        raise ::Puppet::PreformattedError, answer['error'] if answer.key?('error')

        answer.fetch('logs').each { |log| ::Puppet.send_log(log['level'].to_sym, log['message']) }
        answer.fetch('catalog')
      end
    end
  end
end
