# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    # Makes the catalog of Puppet's compiler from the one that agents read.
    module Catalog
      # In JSON, references are texts. Matchers of dependencies only see references.
      RELATIONS = %i[require before notify subscribe].freeze
      REFERENCE = /\A((?:::)?[A-Z]\w*(?:::[A-Z]\w*)*)\[(.*)\]\z/m.freeze

      module_function

      def build(data, environment)
        has_deferred = deferred?(data)
        catalog = ::Puppet::Resource::Catalog.from_data_hash(data)
        catalog.environment_instance = environment
        catalog.instance_variable_set(:@ordain_has_deferred, has_deferred)
        catalog.resources.each { |resource| restore(resource, environment) }
        catalog
      end

      def restore(resource, environment)
        resource.environment = environment if resource.respond_to?(:environment=)
        parameters = resource.parameters
        RELATIONS.each do |name|
          value = parameters[name]
          parameters[name] = reference(value) unless value.nil?
        end
      end

      def reference(value)
        case value
        when Array then value.map { |item| reference(item) }
        when String
          match = REFERENCE.match(value)
          match ? ::Puppet::Resource.new(match[1], match[2]) : value
        else value
        end
      end

      # Resolves values that an agent would compute, as rspec-puppet does since Puppet 6.
      def resolve_deferred(catalog, facts)
        return unless catalog.instance_variable_get(:@ordain_has_deferred)
        return unless defined?(::Puppet::Pops::Evaluator::DeferredResolver)

        ::Puppet::Pops::Evaluator::DeferredResolver.resolve_and_replace(facts, catalog)
      end

      def deferred?(value)
        case value
        when Hash then value['__ptype'] == 'Deferred' || value.each_value.any? { |item| deferred?(item) }
        when Array then value.any? { |item| deferred?(item) }
        else false
        end
      end
    end
  end
end
