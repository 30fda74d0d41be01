# Resources that types make: those of `generate` and `eval_generate`, and those that are on the machine.
module Ordain
  module Execution
    module Generation
      # The providers of the resources that were found on the machine, which know their state.
      @found = {}

      class << self
        # The provider of a resource that was found, which is given away once.
        def take_found(kind, title)
          @found.delete([kind, title])
        end

        def generates?(resource)
          if resource.respond_to?(:type_definition)
            return resource.type_definition.feature?('custom_generate')
          end

          %i[generate eval_generate].any? { |name| resource.respond_to?(name) }
        end

        # Makes the resources of a resource. Only those of its evaluation if `eval` is true, only the others if
        # it is false.
        def of(entry, eval = nil)
          resource, catalog = entry.resource, entry.graph.catalog
          made = []
          made.concat(entry.made || before(resource, catalog)) if eval != true && resource.respond_to?(:generate)
          if eval != false && resource.respond_to?(:eval_generate)
            entry.graph.prefetch(resource)
            made.concat([resource.eval_generate].flatten.compact)
          end
          made.uniq.map { |one| packed(one) }
        end

        # The paths of the files that `generate` makes. Types make them before a run, so that a purge of their
        # directory finds them in the catalog. An error shows when the resource is evaluated.
        def files(entry)
          resource = entry.resource
          return [] if entry.error || resource.respond_to?(:type_definition) || !resource.respond_to?(:generate)

          entry.made = nil
          Execution.guarded { entry.made = before(resource, entry.graph.catalog) }
          (entry.made || []).select { |one| one.type.to_s.casecmp?('file') }.map { |one| one[:path].to_s }
        end

        def instances?(type)
          return true if type.method(:instances).owner != Puppet::Type.singleton_class

          type.load_providers
          type.provider_hash.each_value.any? { |one| one.method(:instances).owner != Puppet::Provider.singleton_class }
        rescue StandardError, ScriptError
          false
        end

        def instances(name)
          type = Puppet::Type.type(name) or raise Puppet::Error, "no module defines the resource type '#{name}'"
          type.instances.map do |one|
            @found[[name, one.title.to_s]] = one.provider if one.provider.is_a?(Puppet::Provider)
            values = one.retrieve_resource.to_hash.reject { |key, _| %i[name title].include?(key) }
            { 'kind' => name, 'title' => one.title.to_s, 'values' => shown(values) }
          end
        end

        # Providers may want to hear of the end of the run.
        def finish
          Puppet::Type.types.values.compact.each do |type|
            type.provider_hash.each_value do |provider|
              provider.post_resource_eval if provider.respond_to?(:post_resource_eval) && Execution.acted?(provider)
            rescue StandardError => e
              Puppet.err("post_resource_eval failed for provider #{provider.name}: #{e.message}")
            end
          end
        end

        private

        # The resources of `generate` are a part of the catalog from then on.
        def before(resource, catalog)
          made = [resource.generate].flatten.select { |one| one.respond_to?(:ref) }
          made.each do |one|
            next if catalog.resource(one.type, one.title)

            one.tag(*resource.tags) if one.respond_to?(:tag)
            catalog.add_resource(one)
          end
          made.map { |one| catalog.resource(one.type, one.title) || one }
        end

        def packed(one)
          sensitive = one.parameters.select { |_, value| value.respond_to?(:sensitive) && value.sensitive }.keys
          values = one.to_hash.reject { |key, value| value.nil? || %i[title loglevel].include?(key) }
          values = values.reject { |key, _| key == :provider && !chosen?(one) }
          { 'kind' => one.type.to_s.downcase, 'title' => one.title.to_s, 'values' => shown(values), 'sensitive' => sensitive.map(&:to_s) }
        end

        # Whether the code chose the provider, and not its default.
        def chosen?(one)
          one.respond_to?(:original_parameters) && one.original_parameters.key?(:provider)
        end

        # Properties that a resource lacks are left out.
        def shown(values)
          present = values.reject { |key, value| value.nil? || (value == :absent && key != :ensure) }
          present.to_h { |key, value| [key.to_s, Shown.value(value)] }
        end
      end
    end

    class << self
      # Whether a provider was used in this process.
      def acted?(provider)
        (@acted ||= Set.new).include?(provider)
      end

      def acts(provider)
        (@acted ||= Set.new) << provider
      end
    end
  end
end
