# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    # Finds the examples that only Puppet itself can compile: those that replace functions or other
    # code of Ruby, and those that ask for things that are no plain data.
    module Fallback
      # Specs that define functions of Puppet in Ruby.
      @functions = []

      class << self
        attr_reader :functions

        # Notes functions that specs define.
        def watch
          note = lambda do |name|
            place = caller_locations(1, 6).find { |at| at.path != __FILE__ }&.path.to_s
            Fallback.functions << name.to_s if place.include?('/spec/') && !place.include?('/spec/fixtures/')
          end
          hook(::Puppet::Parser::Functions.singleton_class, :newfunction, note)
          hook(::Puppet::Functions.singleton_class, :create_function, note)
        end

        # The reason why Ruby compiles, or nil.
        def reason(inputs)
          return 'exported resources' if inputs[:exported]
          return "functions of specs: #{functions.uniq.sort.join(', ')}" if functions.any?

          mocked = mocks
          return "replaced code: #{mocked.uniq.sort.join(', ')}" if mocked.any?
          return 'inputs that are no plain data' unless plain?(inputs[:facts_val]) && plain?(inputs[:node_params])

          nil
        end

        private

        def hook(owner, name, note)
          watcher = Module.new do
            define_method(name) do |*args, **options, &block|
              note.call(args.first)
              super(*args, **options, &block)
            end
          end
          owner.prepend(watcher)
        end

        # The names of the objects whose methods are replaced.
        def mocks
          objects = rspec_mocks + mocha_mocks
          objects.reject { |object| harmless?(object) }.map { |object| name_of(object) }
        end

        # Whether compiles call no method of it. puppetlabs_spec_helper replaces one of Puppet's features in each
        # example. Providers are used when the catalog becomes one of the machine, which Ruby does.
        def harmless?(object)
          return true if object.equal?(::Puppet.features)

          type = object.is_a?(Module) ? object : object.class
          type <= ::Puppet::Provider ? true : false
        end

        def rspec_mocks
          return [] unless defined?(::RSpec::Mocks) && ::RSpec::Mocks.space.respond_to?(:proxies)

          space = ::RSpec::Mocks.space
          changed = space.proxies.values.select do |proxy|
            proxy.respond_to?(:object) && proxy.instance_variable_get(:@method_doubles).to_h.any? do |_, double|
              double.expectations.any? || double.stubs.any?
            end
          end
          changed.map(&:object) + any_instances(space)
        end

        # RSpec also has recorders, which replace nothing, for the ancestors of a class.
        def any_instances(space)
          recorders = space.any_instance_recorders.values.reject do |recorder|
            recorder.instance_variable_get(:@observed_methods)&.empty?
          end
          recorders.map { |recorder| recorder.instance_variable_get(:@klass) }
        end

        def mocha_mocks
          return [] unless defined?(::Mocha::Mockery)

          # There is none in suites that load Mocha and mock with RSpec.
          mockery = Array(::Mocha::Mockery.instance_variable_get(:@instances)).last
          mockery ? mockery.stubba.stubba_methods.map(&:stubbee) : []
        end

        def name_of(object)
          object.is_a?(Module) ? object.name.to_s : object.class.name.to_s
        end

        def plain?(value)
          case value
          when Hash then value.all? { |key, item| (key.is_a?(String) || key.is_a?(Symbol)) && plain?(item) }
          when Array then value.all? { |item| plain?(item) }
          when String, Symbol, Integer, Float, true, false, nil then true
          else false
          end
        end
      end
    end
  end
end
