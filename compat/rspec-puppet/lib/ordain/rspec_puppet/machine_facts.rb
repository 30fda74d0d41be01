# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    # The facts of the machine, as types and providers see them.
    #
    # rspec-puppet removes all facts from Facter and adds those of the example. Facter then asks the machine for a
    # fact of that name before it returns the added one. Most examples ask for few of a hundred facts, so they are
    # added when something asks for more than a value.
    module MachineFacts
      # Methods of Facter that read and change no facts.
      OTHER = %i[value version debugging debugging? trace trace? debug debugonce warn warnonce log_exception on_message
                 clear_messages search search_external search_path search_external_path load_external].freeze

      class << self
        def install
          require 'facter'
          ::Facter.singleton_class.prepend(before(::Facter.singleton_methods(false) - OTHER))
          ::Facter.singleton_class.prepend(Value)
          ::LegacyFacter.singleton_class.prepend(before(::LegacyFacter.singleton_methods(false))) if defined?(::LegacyFacter)
        end

        # Replaces the facts of the example before.
        def set(facts)
          @facts = nil
          ::Facter.clear
          @facts = facts.dup
        end

        def forget
          @facts = nil
        end

        # The value of a fact; nil if only Facter can tell.
        def [](name)
          @facts && @facts[name.to_s.downcase]
        end

        # Adds the facts as rspec-puppet does.
        def add
          return if @facts.nil?

          facts = @facts
          @facts = nil
          facts.each { |name, value| ::Facter.add(name, weight: 999) { setcode { value } } }
        end

        private

        # A module whose methods add the facts before they do what they did.
        def before(methods)
          Module.new do
            methods.each do |method|
              define_method(method) do |*args, **options, &block|
                MachineFacts.add
                super(*args, **options, &block)
              end
            end
          end
        end
      end

      # An added fact comes before the machine's own, unless it has no value.
      module Value
        def value(name)
          known = MachineFacts[name]
          return known unless known.nil?

          MachineFacts.add
          super
        end
      end

      # rspec-puppet's own way, for the catalogs that Puppet compiles.
      module Support
        def stub_facts!(facts)
          MachineFacts.forget
          super
        end
      end
    end
  end
end
