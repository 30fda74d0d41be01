# One graph of resources in execution: preparation, the comparison with the machine, and changes.
module Ordain
  module Execution
    # A resource of a request and its errors.
    class Entry
      attr_reader :id, :graph
      attr_accessor :resource, :error, :current, :declared, :applied, :made

      def initialize(id, graph)
        @id, @graph = id, graph
      end
    end

    # The state of one graph.
    class Graph
      attr_reader :catalog, :entries

      def initialize
        @catalog = Catalog.new
        @entries = {}
        @prefetched = {}
      end

      # Other kinds are data that types look up.
      def add_others(list)
        list.each do |one|
          kind = Types.outline_of_kind(one['kind'])
          values = one['values'].to_h { |name, value| [name.to_sym, Wire.unpack(value)] }
          plain = Plain.new(one['kind'], one['title'], values, kind)
          plain.catalog = @catalog
          @catalog.add(one['id'], plain, [one['title'], values[kind&.namevar]].compact)
        end
      end

      # Makes a resource of its declaration. Its type may refuse it.
      def add(declared)
        entry = Entry.new(declared['id'], self)
        entry.declared = declared
        @entries[entry.id] = entry
        entry.error = Execution.guarded_attribute { entry.resource = build(declared) }
        return entry if entry.error

        resource = entry.resource
        provider = Generation.take_found(declared['kind'], declared['title'])
        resource.provider = provider if provider && !resource.original_parameters.key?(:provider)
        @catalog.replace(entry.id, resource, [resource.title, resource.name].compact.uniq)
        entry
      end

      # Looks at the machine anew: each resource has a new provider.
      def renew
        @prefetched.clear
        @entries.each_value { |entry| remake(entry) if entry.resource }
      end

      # A provider remembers the state from before its own changes. After those the resource has a new one.
      def renew_after_change(entry)
        return unless entry.applied && entry.resource

        provider = entry.resource.provider.class
        @prefetched.delete([entry.resource.type, provider.name]) if provider.respond_to?(:name)
        remake(entry)
      end

      # Runs `prefetch` of the provider of a resource once, for all resources of that provider.
      def prefetch(resource)
        provider = resource.provider.class
        return if !provider.respond_to?(:prefetch) || !(provider <= Puppet::Provider)

        key = [resource.type, provider.name]
        failure = @prefetched.fetch(key) { @prefetched[key] = prefetch_all(provider, resource.type) }
        raise failure if failure
      end

      private

      def remake(entry)
        entry.current, entry.applied = nil, false
        entry.resource.class.forget_found if entry.resource.class.respond_to?(:forget_found)
        entry.error = Execution.guarded_attribute { entry.resource = build(entry.declared) }
        resource = entry.resource
        @catalog.replace(entry.id, resource, [resource.title, resource.name].compact.uniq) unless entry.error
      end

      def build(declared)
        kind = Types.load_kind(declared['kind']) || Puppet::Type.type(declared['kind']) or
          raise Puppet::Error, "no module defines the resource type '#{declared['kind']}'"

        values = declared['values'].to_h { |name, value| [name.to_sym, Wire.unpack(value)] }
        sensitive = (declared['sensitive'] || []).map(&:to_sym)
        values.each do |name, value|
          next unless value.is_a?(Wire::SENSITIVE)

          values[name] = value.unwrap
          sensitive |= [name]
        end
        values = Types.title_values(kind, declared['title']).merge(values)
        given = Given.new(declared['title'], values, catalog: @catalog, tags: declared['tags'], sensitive: sensitive)
        given.file, given.line = declared['file'], declared['line']
        resource = kind.new(given)
        resource.finish
        resource
      end

      # The error of a prefetch, or nil.
      def prefetch_all(provider, type)
        resources = @entries.each_value.filter_map(&:resource).select do |one|
          one.type == type && one.provider.instance_of?(provider)
        end
        provider.prefetch(resources.to_h { |one| [one.name, one] })
        nil
      rescue LoadError, StandardError => e
        text = Execution.message_of(e)
        Puppet.err("Could not prefetch #{type} provider '#{provider.name}': #{text}")
        error = Puppet::Error.new("Could not prefetch #{type} provider '#{provider.name}': #{text}")
        error.set_backtrace(e.backtrace)
        error
      end
    end

    # The comparison of one resource with the machine, and its changes.
    class Harness
      def initialize(entry)
        @entry, @resource = entry, entry.resource
      end

      # The properties that differ, with the words of their changes.
      def changes
        look
        out_of_sync.map { |property| change(property) }
      end

      # Changes properties, and returns the events.
      def apply(names)
        look unless @entry.current
        events = []
        names.each do |name|
          property = @resource.property(name) or raise Puppet::DevError, "there is no property #{name}"
          events << sync(property)
          break if name == 'ensure' && events.last['status'] == 'failure'
        end
        @resource.flush if @resource.respond_to?(:flush) && events.any? { |event| event['status'] == 'success' }
        events
      ensure
        @entry.current = nil
        @entry.applied = true
        @partial = events
      end

      attr_reader :partial

      # The values of all properties.
      def values
        look
        @entry.current.filter_map do |name, value|
          property = @resource.property(name)
          secret = !!property&.sensitive
          [name.to_s, secret ? '[redacted]' : Shown.value(value), secret]
        end
      end

      private

      def look
        # A change of the run may have brought the command of a provider.
        found = @resource.provider.nil? && Suitability.needed?(@resource) && @resource.class.defaultprovider
        @resource.provider = found.name if found
        Suitability.check(@resource)
        Execution.acts(@resource.provider.class)
        @entry.graph.prefetch(@resource)
        @entry.current = @resource.retrieve_resource.to_hash
      end

      def out_of_sync
        exists = @resource.parameter(:ensure)
        return [exists] if exists&.should && differs?(exists)
        return [] unless @resource.present?(@entry.current)

        @resource.properties.select { |property| differs?(property) }
      end

      def differs?(property)
        !property.should.nil? && property.should != false && !property.safe_insync?(@entry.current[property.name])
      end

      def change(property)
        is, should = @entry.current[property.name], property.should
        {
          'name' => property.name.to_s, 'is' => shown(property, is), 'should' => shown(property, should),
          'text' => text(property, is, should), 'secret' => !!property.sensitive
        }
      end

      def sync(property)
        is, should = @entry.current[property.name], property.should
        event = { 'name' => property.name.to_s, 'is' => shown(property, is), 'should' => shown(property, should) }
        begin
          property.sync
          event.merge('status' => 'success', 'text' => text(property, is, should))
        rescue StandardError, LoadError => e
          event.merge('status' => 'failure', 'text' => failure(property, is, should, e), 'error' => Execution.describe(e))
        end
      end

      def shown(property, value)
        property.sensitive ? '[redacted]' : Shown.value(value)
      end

      # Puppet redacts both values of a sensitive property.
      def text(property, is, should)
        if property.sensitive
          return property.format('changed %s to %s', property.is_to_s(is), property.should_to_s(should))
        end

        property.change_to_s(is, should).to_s
      end

      def failure(property, is, should, error)
        property.format('change from %s to %s failed: ', property.is_to_s(is), property.should_to_s(should)) +
          Execution.message_of(error)
      end
    end

    # Values as a report has them.
    module Shown
      def self.value(value)
        case value
        when nil, true, false, Numeric, Symbol, String, Array, Hash, Set, Wire::SENSITIVE then Wire.pack(value)
        else Wire.text(value.to_s)
        end
      end
    end

    # Whether the provider of a resource works on this machine.
    module Suitability
      class << self
        def check(resource)
          return if resource.provider && resource.provider.class.suitable?
          return if resource.provider.nil? && !needed?(resource)

          raise Puppet::Error, problem(resource)
        end

        # Why the provider does not work; nil if it does.
        def problem(resource)
          if resource.provider.nil?
            return nil unless needed?(resource)

            reasons = resource.class.provider_hash.map { |name, one| "#{name}: #{one.unsuitable_reason}" }
            return "Could not find a suitable provider for #{resource.type} (#{reasons.join('; ')})"
          end
          provider = resource.provider.class
          return nil unless provider.respond_to?(:unsuitable_reason) && (reason = provider.unsuitable_reason)

          "Provider #{provider.name} is not functional on this host: #{reason}"
        end

        # Whether a resource only works with a provider.
        def needed?(resource)
          !resource.class.paramclass(:provider).nil? && resource.class.provider_hash.any?
        end
      end
    end

    class << self
      # As `guarded`, with the attribute that the error is about.
      def guarded_attribute
        attribute = nil
        error = guarded do
          yield
        rescue OfAttribute => e
          attribute = e.attribute
          raise
        end
        error && error.merge('attribute' => attribute&.to_s)
      end
    end
  end
end
