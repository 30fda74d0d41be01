# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    module Preload
      # Compiled files that a run loads when it needs them. Loading types of Puppet before that would be
      # seen: some of its providers look at the facts of the example in which they are loaded.
      module Bytecode
        @files = {}

        class << self
          # Puppet's types, providers, functions and matchers of rspec.
          def compile_puppet
            return unless defined?(::RubyVM::InstructionSequence)

            directories = $LOAD_PATH.map(&:to_s).uniq.flat_map do |path|
              %w[puppet/type puppet/provider puppet/util puppet/functions rspec/mocks rspec/matchers
                 rspec/core/formatters mocha puppetlabs_spec_helper].map { |name| File.join(path, name) }
            end
            directories.each { |directory| Dir.glob(File.join(directory, '**/*.rb')) { |path| compile(path) } }
            hook unless @files.empty?
          end

          def paths
            @files.keys
          end

          def [](path)
            @files[path]
          end

          private

          def compile(path)
            path = File.realpath(path)
            return if $LOADED_FEATURES.include?(path)

            @files[path] = ::RubyVM::InstructionSequence.compile_file(path)
          rescue SyntaxError, SystemCallError
            # The run reports it, if it loads the file.
            nil
          end

          # Ruby asks this method before it reads a file.
          def hook
            return if ::RubyVM::InstructionSequence.respond_to?(:load_iseq)

            ::RubyVM::InstructionSequence.define_singleton_method(:load_iseq) do |path|
              # Code that is measured has to be compiled again.
              Bytecode[path] unless defined?(::Coverage) && ::Coverage.respond_to?(:running?) && ::Coverage.running?
            end
          end
        end
      end
    end
  end
end
