# The requests of the engine.
module Ordain
  module Execution
    module Requests
      VERBS = %w[open kinds prepare observe retrieve apply refresh generate instances check close].freeze

      @graphs = {}
      @entries = {}

      class << self
        def open(message)
          info = Ordain.info
          info['modules'] = module_dirs(message['modules'])
          info['modulepath'] = message['modulepath'] || info['modules'].values.map { |dir| File.dirname(dir) }.uniq
          info['libs'] = info['modules'].values.map { |dir| File.join(dir, 'lib') }.select { |lib| File.directory?(lib) }
          Ordain.facts = message['facts'] || {}
          given = (message['settings'] || {}).merge('noop' => !!message['noop'])
          info['settings'] = AgentSettings.complete(given, Ordain.facts)
          info['environment'] = info['settings']['environment']
          info['node'] = message['node'] || info['settings']['certname']
          Ordain.debug = message['debug'] == true
          limits = message['limits'] || {}
          Execution.seconds = limits['seconds'] if limits['seconds']
          Execution.memory = limits['memory'] if limits['memory']
          info['libs'].each { |lib| $LOAD_PATH << lib unless $LOAD_PATH.include?(lib) }
          Original.use(message['puppet']) if message['puppet']
          connect(message['device']) if message['device']
          nil
        end

        # Loads the files of types.
        def kinds(message)
          message['names'].map { |name| kind(name) }
        end

        # Makes the resources of a graph.
        def prepare(message)
          forget(message['forget'] || {})
          number = message['graph'] || 0
          graph = @graphs[number]
          graph = @graphs[number] = Graph.new if graph.nil? || message.key?('others')
          graph.add_others(message['others'] || [])
          made = message['resources'].map do |declared|
            Ordain.take_logs
            entry = @entries[declared['id']] = graph.add(declared)
            [entry, Ordain.take_logs]
          end
          answers = made.map { |entry, logs| Redaction.clean(entry.declared, Preparation.of(entry, logs)) }
          made.zip(answers) { |(entry, _), answer| answer['files'] = Generation.files(entry) }
          answers
        end

        # Compares resources with the machine.
        def observe(message)
          @graphs.each_value(&:renew) if message['fresh']
          message['of'].map do |id|
            entry = find(id)
            entry.graph.renew_after_change(entry)
            changes = []
            error = entry.error || Execution.guarded { changes = Harness.new(entry).changes }
            answer = { 'id' => id, 'changes' => changes, 'logs' => Ordain.take_logs, 'error' => error }
            Redaction.clean(entry.declared, answer)
          end
        end

        def retrieve(message)
          entry = find(message['of'])
          values = []
          error = entry.error || Execution.guarded { values = Harness.new(entry).values }
          { 'values' => values, 'logs' => Ordain.take_logs, 'error' => error }
        end

        def apply(message)
          entry = find(message['of'])
          harness = Harness.new(entry)
          error = entry.error || Execution.guarded { harness.apply(message['changes']) }
          answer = { 'events' => harness.partial || [], 'logs' => Ordain.take_logs, 'error' => error }
          Redaction.clean(entry.declared, answer)
        end

        def refresh(message)
          entry = find(message['of'])
          error = entry.error || Execution.guarded do
            Suitability.check(entry.resource)
            entry.graph.prefetch(entry.resource)
            entry.resource.refresh if entry.resource.respond_to?(:refresh)
          end
          Redaction.clean(entry.declared, 'logs' => Ordain.take_logs, 'error' => error)
        end

        # The resources that a resource makes.
        def generate(message)
          entry = find(message['of'])
          made = []
          error = entry.error || Execution.guarded { made = Generation.of(entry, message['eval']) }
          { 'resources' => made, 'logs' => Ordain.take_logs, 'error' => error }
        end

        # The resources of a kind that are on the machine.
        def instances(message)
          found = []
          error = Execution.guarded { found = Generation.instances(message['kind']) }
          { 'resources' => found, 'logs' => Ordain.take_logs, 'error' => error }
        end

        def check(message)
          message['of'].map do |id|
            entry = find(id)
            error = entry.error || Execution.guarded { entry.resource.pre_run_check }
            { 'id' => id, 'error' => error, 'logs' => Ordain.take_logs }
          end
        end

        def close(_message)
          Generation.finish
          times = Process.times
          { 'cpu' => times.to_a.sum }
        end

        private

        # The device that resources are on, where it is not this machine: its transport by name and connection data.
        def connect(device)
          given = device['connection']
          given = Puppet::ResourceApi::Transport::Wrapper.deep_symbolize(Wire.unpack(given)) if given.is_a?(Hash)
          made = Puppet::ResourceApi::Transport::Wrapper.new(device['transport'], given)
          Puppet::Util::NetworkDevice.set_device(device['transport'], made)
        end

        def find(id)
          @entries.fetch(id) { raise Puppet::DevError, "there is no resource #{id}" }
        end

        def forget(gone)
          (gone['graphs'] || []).each do |number|
            @graphs.delete(number)&.entries&.each_key { |id| @entries.delete(id) }
          end
          (gone['resources'] || []).each { |id| @entries.delete(id)&.then { |entry| entry.graph.entries.delete(id) } }
        end

        # The directories of modules by their names.
        def module_dirs(given)
          return given if given.is_a?(Hash)

          (given || []).to_h { |dir| [File.basename(dir)[/\A(?:.+-)?([^-]+)\z/, 1], dir] }
        end

        def kind(name)
          made = nil
          error = Execution.guarded { made = Types.load_kind(name) }
          return { 'name' => name, 'error' => error } if error
          return { 'name' => name, 'unknown' => true } unless made

          {
            'name' => name, 'namevars' => made.key_attributes.map(&:to_s), 'attributes' => made.attributes.keys.map(&:to_s),
            'instances' => !CoreTypes::WHOLE.include?(name) && Generation.instances?(made),
            'providers' => CoreTypes.providers_of(name), 'error' => nil
          }
        end
      end
    end

    # The answer about a prepared resource.
    module Preparation
      class << self
        def of(entry, logs)
          return refused(entry) if entry.error

          answer = nil
          entry.error = Execution.guarded { answer = accepted(entry) }
          return refused(entry) if entry.error

          warnings = logs.filter_map { |level, text| text if %w[warning err].include?(level) }
          answer.merge('id' => entry.id, 'errors' => [], 'warnings' => warnings)
        end

        private

        def refused(entry)
          { 'id' => entry.id, 'errors' => [entry.error] }
        end

        def accepted(entry)
          resource = entry.resource
          {
            'values' => Types.packed_values(resource), 'relations' => Types.automatic_relations(resource, entry.graph.catalog),
            'provider' => resource.provider.is_a?(Puppet::Provider) ? resource.provider.class.name.to_s : nil,
            'refreshable' => resource.respond_to?(:refresh), 'self_refresh' => !!resource.class.self_refresh,
            'generates' => Generation.generates?(resource),
            'checks' => resource.method(:pre_run_check).owner != Puppet::Type,
            'watch' => watch(resource), 'timeout' => timeout(resource), 'unsuitable' => Suitability.problem(resource)
          }
        end

        # The seconds that a resource wants to have for its change.
        def timeout(resource)
          return nil unless resource.class.validattr?(:timeout)

          Float(resource[:timeout], exception: false)
        end

        # The files whose changes mean that the resource may differ.
        def watch(resource)
          paths = %i[path target file].filter_map { |name| resource.class.validattr?(name) && resource[name] }
          provider = resource.provider.class
          if provider.respond_to?(:default_target)
            paths << (resource.should(:target) || provider.default_target)
          end
          provider_path = resource.provider.respond_to?(:file_path) && guess(resource.provider)
          paths << provider_path if provider_path
          paths.flatten.grep(String).select { |path| path.start_with?('/') }.uniq
        end

        # Providers such as those of INI files name their file by a method.
        def guess(provider)
          provider.file_path
        rescue StandardError
          nil
        end
      end
    end
  end

  module Types
    class << self
      # The type of a name with the files that define it; nil if no module has it.
      def load_kind(name)
        CoreTypes.load_whole(name)
        made = Puppet::Type.type(name)
        made unless made.nil? || CoreTypes.outline?(made)
      end

      def packed_values(resource)
        own = resource.parameters.reject { |name, one| name == :provider || one.class.metaparam }
        own.to_h { |name, one| [name.to_s, Wire.pack(declared_value(one))] }
      end

      # The desired value of a property. The machine is not read while resources are prepared.
      def declared_value(one)
        case one
        when Puppet::Property::KeyValue then one.hashify_should
        when Puppet::Property::List then one.instance_variable_get(:@should)
        else one.value
        end
      rescue StandardError
        # A type may ask its provider for a part of the value.
        nil
      end

      def automatic_relations(resource, catalog)
        automatic(resource, catalog)
      end

      def outline_of_kind(name)
        known_outline(name)
      end
    end
  end
end
