# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    module Preload
      # The reporter of rspec cannot exist before the options of a run are known, but rspec-puppet registers
      # itself with it when it is loaded.
      module Listeners
        @calls = []

        class << self
          def record
            configuration = ::RSpec.configuration
            calls = @calls
            recorder = Object.new
            recorder.define_singleton_method(:register_listener) { |*arguments| calls << arguments }
            configuration.define_singleton_method(:reporter) { recorder }
            yield
          ensure
            configuration.singleton_class.send(:remove_method, :reporter)
          end

          def replay
            @calls.each { |arguments| ::RSpec.configuration.reporter.register_listener(*arguments) }
            @calls.clear
          end
        end

        # Registers them when rspec loads the files of `--require`, which comes after its options.
        module Requires
          def requires=(paths)
            Listeners.replay
            super
          end
        end
      end

      # Runs rspec as its command does.
      module Worker
        module_function

        def run(request, streams)
          $stdin.reopen(streams[0])
          $stdout.reopen(streams[1])
          $stderr.reopen(streams[2])
          Dir.chdir(request['directory'])
          ENV.replace(request['environment'])
          ARGV.replace(request['arguments'])
          $PROGRAM_NAME = 'rspec'
          configure(::RSpec.configuration)
          ::RSpec::Core::Runner.invoke
        end

        # What rspec computes when it is loaded.
        def configure(configuration)
          configuration.instance_variable_set(:@start_time, ::RSpec::Core::Time.now)
          configuration.ordering_manager.instance_variable_set(:@seed, Random.new.rand(0xFFFF))
          configuration.singleton_class.prepend(Listeners::Requires)
        end
      end
    end
  end
end
