# frozen_string_literal: true

require 'json'

module Ordain
  module RSpecPuppet
    module Preload
      # Loads the libraries that Puppet's types and providers require, but not these themselves: some of them
      # look at the facts of the example in which they are loaded.
      module Libraries
        # Types without providers. Their files look at no facts.
        TYPES = %w[component filebucket notify resources schedule stage tidy whit].freeze
        # Files that define types and providers, and those that Puppet's autoloader loads.
        LEFT = %r{/puppet/(type|feature)/|/puppet/provider/[^/]+/}.freeze

        class << self
          def load
            required.each { |path| attempt(path) }
            TYPES.each { |name| ::Puppet::Type.type(name) }
          end

          private

          # Some files expect that the one that requires them has loaded others. That one is in the list, too.
          def attempt(path)
            require path
          rescue NameError, LoadError
            nil
          end

          # The libraries that all types require, found by a process that loads them.
          def required
            reader, writer = IO.pipe
            child = fork do
              reader.close
              writer.write(JSON.generate(find))
              writer.close
              exit!(0)
            end
            writer.close
            found = reader.read
            Process.wait(child)
            JSON.parse(found)
          rescue JSON::ParserError
            # Without them, each run loads what it needs.
            []
          end

          def find
            known = $LOADED_FEATURES.dup
            looked = Hash.new(0)
            watch(looked)
            directory = File.dirname($LOADED_FEATURES.grep(%r{/puppet/type\.rb\z}).first)
            Dir.glob(File.join(directory, 'type/*.rb')).sort.each do |path|
              ::Puppet::Type.type(File.basename(path, '.rb'))
            end
            ($LOADED_FEATURES - known).select { |path| File.file?(path) && path !~ LEFT && !looked.key?(path) }
          end

          # Counts the files that look at a fact.
          def watch(looked)
            watcher = Module.new do
              define_method(:value) do |*arguments|
                caller_locations(1, 40).each { |place| looked[place.absolute_path || place.path] += 1 }
                super(*arguments)
              end
            end
            ::Facter.singleton_class.prepend(watcher)
          end
        end
      end
    end
  end
end
