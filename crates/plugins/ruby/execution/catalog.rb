# The catalog as types look at it: the resources of providers, and those of other kinds as plain data.
module Ordain
  class Catalog
    attr_accessor :resources_by_id
    attr_reader :host_config

    def add_resource(*made)
      made.each do |one|
        one.catalog = self if one.respond_to?(:catalog=)
        add(nil, one, [one.title, one.name].compact.uniq)
      end
    end
    alias create_resource add_resource

    alias add_to_list add
    private :add_to_list

    def add(number, resource, names)
      positions[resource] = @resources.size
      add_to_list(number, resource, names)
    end

    # Puts one resource in the place of another of the same name.
    def replace(number, resource, names)
      before = names.filter_map { |name| resource(resource.type, name) }.first
      at = before && positions.delete(before)
      return add(number, resource, names) unless at

      @numbers.delete(before)
      @numbers[resource] = number
      @resources[at] = resource
      positions[resource] = at
      names.each { |name| @index[key(resource.type, name)] = resource }
    end

    def remove_resource(*gone)
      gone.each do |one|
        @resources.delete_if { |known| known.equal?(one) }
        @index.delete_if { |_, known| known.equal?(one) }
      end
      @positions = nil
    end

    def vertices
      @resources
    end

    def to_ral
      self
    end

    def container_of(_resource)
      nil
    end

    def alias(resource, name)
      @index[key(resource.type, [name].flatten.first)] ||= resource
    end

    def classes
      []
    end

    def tags
      []
    end

    def name
      Ordain.info['node']
    end

    def relationship_graph(*)
      self
    end

    def add_edge(*); end
    def add_relationship(*); end
    def edges = []
    def for_network_device = false

    def apply
      self
    end

    private

    # Where each resource is in the list.
    def positions
      @positions ||= {}.compare_by_identity.tap do |made|
        @resources.each_with_index { |one, index| made[one] = index }
      end
    end
  end

  class Plain
    attr_accessor :catalog, :file, :line

    def []=(name, value)
      name = name.to_sym
      name = kind.namevar if name == :name && kind
      @values[name] = value
    end

    def parameters
      @values.to_h { |name, value| [name, Value.new(name, value, self)] }
    end

    def parameter(name)
      value = self[name]
      value.nil? ? nil : Value.new(name.to_sym, value, self)
    end
    alias property parameter

    def provider
      nil
    end

    def noop?
      false
    end

    def tagged?(*)
      false
    end

    # A parameter of such a resource.
    Value = Struct.new(:name, :value, :resource) do
      alias_method :should, :value
    end
  end
end
