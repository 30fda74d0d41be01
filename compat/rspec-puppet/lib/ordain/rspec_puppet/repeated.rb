# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    # The same results as rspec-puppet's own methods, which each example calls, with less work.
    module Repeated
      def self.install
        ::RSpec::Puppet::Cache.prepend(Cache)
        ::RSpec::Puppet::Coverage.prepend(Coverage)
        ::RSpec::Puppet::Support.prepend(Facts)
      end

      # Catalogs of equal inputs. Their bytes are compared, not their trees with each of the kept ones.
      module Cache
        def get(*args, &block)
          key = Marshal.dump(args)
          if @cache.key?(key)
            @lra << @lra.delete(key)
          else
            expire!
            @cache[key] = (block || @default_proc).call(*args)
            @lra << key
          end
          @cache[key]
        end
      end

      # The list of filters would grow by one with each catalog.
      module Coverage
        def add_filter(type, title)
          super
          new = @filters.pop
          @filters << new unless @filters.include?(new)
        end

        private

        def module_paths(test_module)
          adapter = ::RSpec.configuration.adapter
          key = [adapter.modulepath, adapter.manifest, test_module]
          return @ordain_paths if @ordain_paths_key == key

          @ordain_paths_key = key
          @ordain_paths = super
        end
      end

      # Facts with names as texts.
      module Facts
        # The facts by which rspec-puppet decides whether to be Windows.
        PLATFORM = %w[operatingsystem osfamily os].freeze

        def munge_facts(facts)
          case facts
          when Hash then facts.each_with_object({}) { |(name, value), all| all[name.to_s] = munge_facts(value) }
          when Array then facts.map { |value| munge_facts(value) }
          else facts
          end
        end

        def stub_file_consts(example)
          return super unless example.respond_to?(:metadata) && method(:facts_hash).owner == ::RSpec::Puppet::Support

          # Both are evaluated now, as in the method of rspec-puppet.
          nodename(example.metadata[:type])
          own = respond_to?(:facts) ? facts : {}
          return super unless own.is_a?(Hash)

          test = ordain_platform_facts(::RSpec.configuration.default_facts).merge(ordain_platform_facts(own))
          platform = find_pretend_platform(test)
          ::RSpec::Puppet::Consts.stub_consts_for(platform) unless platform.nil?
        end

        private

        def ordain_platform_facts(facts)
          chosen = facts.select { |name, _| PLATFORM.include?(name.to_s.downcase) }
          munge_facts(chosen).transform_keys(&:downcase)
        end
      end
    end
  end
end
