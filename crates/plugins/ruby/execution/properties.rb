# Properties and resources in execution: the state of the machine, its comparison with the declaration, and
# the change from one to the other.
module Puppet
  class Parameter
    class << self
      def format_value_for_display(value)
        Ordain::Display.of(value)
      end
    end

    # A short form, for messages of errors.
    def inspect
      Kernel.instance_method(:to_s).bind_call(self)
    end

    # All values are known by now.
    def value
      @value.nil? ? nil : unsafe_unmunge(@value)
    end

    def unmunge(value)
      unsafe_unmunge(value)
    end

    def log(message, level = resource[:loglevel])
      Puppet.send_log(level || :notice, message)
    end

    def source_descriptors
      { tags: tags, path: path }
    end

    def pathbuilder
      [resource.pathbuilder, name]
    end
  end

  class Property
    attr_writer :changed

    class << self
      def method_added(name)
        if name == :safe_insync? && self != Property
          raise "Puppet::Property#safe_insync? shouldn't be overridden; please override insync? instead"
        end

        super
      end
    end

    def should
      wanted = @should or return nil

      self.class.array_matching == :all ? wanted.map { |one| unsafe_unmunge(one) } : unsafe_unmunge(wanted[0])
    end

    def value
      should
    end

    def retrieve
      provider.public_send(self.class.name)
    end

    # Makes the machine have a value.
    def set(value)
      found = self.class.value_name(value)
      method = self.class.value_option(found, :method)
      return call_value_method(method, value) if method && respond_to?(method)

      block = self.class.value_option(found, :block)
      block ? instance_eval(&block) : call_provider(value)
    end

    def sync
      devfail('Got a nil value for should') if should.nil?
      set(should)
    end

    def insync_values?(wanted, is)
      before, @should = @should, wanted
      insync?(is)
    rescue StandardError
      Puppet.info("Unknown failure using insync_values? on type: #{resource.ref} / property: #{name} " \
                  "to compare values #{wanted} and #{is}")
      nil
    ensure
      @should = before
    end

    def change_to_s(current, wanted)
      return "defined '#{name}' as #{should_to_s(wanted)}" if current == :absent
      return "undefined '#{name}' from #{is_to_s(current)}" if wanted == :absent || wanted == [:absent]

      "#{name} changed #{is_to_s(current)} to #{should_to_s(wanted)}"
    rescue Puppet::Error
      raise
    rescue StandardError => e
      error = DevError.new("Could not convert change '#{name}' to string: #{e}")
      error.set_backtrace(e.backtrace)
      raise error
    end

    def event_name
      value = should
      declared = self.class.value_option(value, :event)
      return declared if declared
      return :"#{name}_changed" unless name == :ensure

      :"#{resource.type}#{{ present: '_created', absent: '_removed' }.fetch(value, '_changed')}"
    end

    def event(options = {})
      Transaction::Event.new(name: event_name, desired_value: should, property: self, **options)
    end

    def noop
      defined?(@noop) ? @noop : resource.noop?
    end

    def idempotent?
      self.class.idempotent
    end

    private

    def call_value_method(method, value)
      method(method).arity.zero? ? public_send(method) : public_send(method, value)
    rescue Puppet::Error
      raise
    rescue StandardError => e
      error = ResourceError.new("Could not set '#{value}' on #{name}: #{e}", resource.file, resource.line, e)
      error.set_backtrace(e.backtrace)
      raise error
    end

    public

    class Ensure
      class << self
        def defaultvalues
          newvalue(:present) { owner_of(:create).create && nil }
          newvalue(:absent) { owner_of(:destroy).destroy && nil }
          defaultto { :present if @resource.managed? }
          @doc ||= 'The basic property that the resource should be in.'
        end
      end

      def retrieve
        owner = [resource.provider, resource].find { |one| one&.respond_to?(:exists?) }
        raise DevError, "No ability to determine if #{resource.class.name} exists" unless owner

        owner.exists? ? :present : :absent
      end

      def change_to_s(current, wanted)
        return 'created' if current == :absent || current.nil?
        return 'removed' if wanted == :absent

        "#{name} changed #{is_to_s(current)} to #{should_to_s(wanted)}"
      rescue Puppet::Error
        raise
      rescue StandardError => e
        error = DevError.new("Could not convert change #{name} to string: #{e}")
        error.set_backtrace(e.backtrace)
        raise error
      end

      private

      # The provider, or the resource itself where the provider lacks the method.
      def owner_of(method)
        provider&.respond_to?(method) ? provider : @resource
      end
    end

    class List
      def is_to_s(value)
        value == :absent ? super : value.join(delimiter)
      end

      def retrieve
        found = provider&.public_send(name)
        return :absent if found.nil? || found == false || found == :absent

        found.instance_of?(Array) ? found : found.split(delimiter)
      end

      def prepare_is_for_comparison(is)
        dearrayify(is == :absent ? [] : is)
      end

      def insync?(is)
        is ? prepare_is_for_comparison(is) == should : true
      end
    end

    class KeyValue
      def hash_to_key_value_s(pairs)
        pairs = pairs.select { |key, _| @changed_or_new_keys.include?(key) } if self.class.log_only_changed_or_new_keys
        pairs.map { |pair| pair.join(separator) }.join(delimiter)
      end

      def should_to_s(value)
        hash_to_key_value_s(value)
      end

      def is_to_s(value)
        hash_to_key_value_s(value)
      end

      def process_current_hash(current)
        return {} if current == :absent

        current.each_key { |key| current[key] = nil } if inclusive?
        current
      end

      def should
        return nil unless @should

        current = process_current_hash(retrieve)
        wanted = current.merge(hashify_should)
        @changed_or_new_keys ||= wanted.keys.reject { |key| current.key?(key) && current[key] == wanted[key] }
        wanted
      end

      def retrieve
        found = provider&.public_send(name)
        found && found != :absent ? found : :absent
      end

      def insync?(is)
        is ? is == should : true
      end
    end
  end

  class Type
    class << self
      def needs_ensure_retrieved
        true
      end

      # The resources that the providers find on the machine; the default provider is asked first.
      def instances
        load_providers
        if provider_hash.empty?
          raise DevError, "#{name} has no providers and has not overridden 'instances'"
        end

        seen = {}
        providers_by_source.flat_map do |provider|
          provider.instances.filter_map do |instance|
            title = instance.respond_to?(:title) ? instance.title : instance.name
            next if seen.key?(title)

            seen[title] = true
            found = new(name: instance.name, provider: instance, title: title)
            properties.each { |property| found.newattr(property) }
            found
          end
        end
      end

      def providers_by_source
        [defaultprovider, *suitableprovider].compact.uniq.uniq(&:source)
      end

      def hash2resource(values)
        values = values.transform_keys(&:to_sym)
        title = values.delete(:title) || values[:name] || values[namevar]
        raise Puppet::Error, 'Title or name must be provided' unless title

        Resource.new(self, title, parameters: values)
      end
    end

    %i[emerg alert crit err warning notice info debug].each do |level|
      define_method(level) { |message = nil, &block| Puppet.public_send(level, message, &block) }
    end

    def log(message)
      Puppet.send_log(self[:loglevel] || :notice, message)
    end

    # A short form, for messages of errors.
    def inspect
      Kernel.instance_method(:to_s).bind_call(self)
    end

    # The present values of the properties. Without the resource they are all absent.
    def retrieve
      if provider.is_a?(Provider) && !provider.class.suitable?
        raise Puppet::Error, "Provider #{provider.class.name} is not functional on this host"
      end

      found = Resource.new(self.class, title)
      found[:name] = self[:name] unless self[:name] == title
      exists = property(:ensure)
      exists = newattr(:ensure) if !exists && self.class.needs_ensure_retrieved && self.class.validattr?(:ensure)
      state = exists&.retrieve
      found[:ensure] = state if exists
      properties.each do |one|
        found[one.name] = state == :absent ? :absent : one.retrieve unless one.name == :ensure
      end
      found
    end

    def retrieve_resource
      found = retrieve
      found.is_a?(Hash) ? Resource.new(self.class, title, parameters: found) : found
    end

    def present?(current)
      current[:ensure] != :absent
    end

    def currentpropvalues
      retrieve.to_hash.filter_map { |name, value| (one = property(name)) && [one, value] }.to_h
    end

    def insync?(is)
      exists = property(:ensure)
      return true if exists && exists.safe_insync?(is[exists]) && exists.should == :absent

      properties.all? { |one| one.safe_insync?(is[one]) }
    end

    def flush
      provider.flush if provider.respond_to?(:flush)
    end

    def pre_run_check; end

    def depthfirst?
      false
    end

    def appliable_to_host?
      self.class.can_apply_to(:host)
    end

    def appliable_to_device?
      self.class.can_apply_to(:device)
    end

    def event(options = {})
      Transaction::Event.new(resource: self, file: file, line: line, tags: tags, **options)
    end

    def remove
      @parameters.each_value(&:remove)
      @parameters.clear
      @parent = nil
      @provider&.clear
      @provider = nil
    end

    def version
      catalog ? catalog.version : 0
    end

    def to_resource
      retrieve_resource
    end

    def ancestors
      []
    end

    def autorequire(*)
      []
    end

    def noop
      defined?(@noop) && !@noop.nil? ? @noop : !!Puppet[:noop]
    end
    alias noop? noop

    def resource_type
      self.class
    end
    alias retrieve_type resource_type
  end

  # The events of a change, which few providers make themselves.
  class Transaction
    Event = Struct.new(:name, :property, :resource, :previous_value, :desired_value, :historical_value, :status,
                       :message, :file, :line, :tags, :redacted, :invalidate_refreshes, :source_description,
                       keyword_init: true)

    class Report; end
    class EventManager; end
    class ResourceHarness; end
  end
end
