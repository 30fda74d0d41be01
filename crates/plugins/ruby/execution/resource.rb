# A resource as plain data: a type, a title, values.
module Puppet
  class Resource
    include Enumerable

    attr_accessor :file, :line, :catalog, :exported, :virtual, :sensitive_parameters, :strict, :kind
    attr_writer :title
    attr_reader :tags

    class << self
      def indirection
        Ordain::Indirection
      end

      # The type and the title that texts or a reference give.
      def type_and_title(type, title)
        match = title.nil? && type.to_s.match(/\A([^\[]+)\[(.*)\]\z/m)
        match ? match.captures : [type, title]
      end
    end

    def initialize(type, title = nil, attributes = {})
      type, title = self.class.type_and_title(type, title)
      @resource_type = type if type.is_a?(Class)
      name = type.is_a?(Class) ? type.name : type
      @type = name.to_s.split('::').map(&:capitalize).join('::')
      @title = title
      @parameters = {}
      @tags = Set.new
      @sensitive_parameters = []
      attributes = attributes.dup
      (attributes.delete(:parameters) || {}).each { |key, value| self[key] = value }
      attributes.each { |key, value| public_send("#{key}=", value) if respond_to?("#{key}=") }
    end

    def type
      @type
    end

    def title
      @title
    end

    def resource_type
      @resource_type ||= Type.type(type)
    end

    def [](name)
      name = parameter_name(name)
      return title if name == :title

      @parameters.fetch(name) { name == :name || name == namevar ? @parameters[namevar] || @parameters[:name] || title : nil }
    end

    def []=(name, value)
      @parameters[parameter_name(name)] = value
    end

    def key?(name)
      @parameters.key?(parameter_name(name))
    end
    alias has_key? key?
    alias include? key?

    def delete(name)
      @parameters.delete(parameter_name(name))
    end

    def each(&block)
      @parameters.each(&block)
    end

    %i[keys values empty? length].each { |name| define_method(name) { @parameters.public_send(name) } }

    def parameters
      @parameters.dup
    end

    def to_hash
      @parameters.dup
    end
    alias to_h to_hash

    def namevar
      resource_type.respond_to?(:namevar) ? resource_type.namevar : :name
    end

    def name
      self[:name]
    end

    def ref
      "#{type}[#{title}]"
    end
    alias to_s ref

    def uniqueness_key
      to_hash.values_at(*resource_type.key_attributes.sort_by(&:to_s))
    end

    def tag(*names)
      names.flatten.each { |name| @tags << name.to_s.downcase }
    end

    def tagged?(*names)
      names.flatten.any? { |name| @tags.include?(name.to_s.downcase) }
    end

    def set_parameter(name, value = nil)
      self[name] = value
    end

    def valid_parameter?(name)
      resource_type&.valid_parameter?(name)
    end

    # A resource that its type has checked.
    def to_ral
      resource_type.new({ title: title, catalog: catalog }.merge(to_hash))
    end

    def to_resource
      self
    end

    def prune_parameters(*)
      self
    end

    def ==(other)
      other.respond_to?(:title) && other.respond_to?(:type) && type.to_s.casecmp?(other.type.to_s) && title == other.title
    end

    private

    def parameter_name(name)
      name = name.name if name.is_a?(Parameter)
      name.to_sym
    end

    class Status; end

    class Catalog
      def self.indirection
        Ordain::Indirection
      end
    end

    class TypeCollection; end
    class Type; end
  end

  module Parser
    class Scope
      def self.of(*)
        nil
      end
    end

    class Resource < Puppet::Resource; end
    class Compiler; end
  end
end

module Ordain
  # Puppet finds data behind terms such as `Puppet::Node.indirection`. A provider finds none here.
  module Indirection
    class << self
      def find(*)
        nil
      end

      def search(*)
        []
      end

      def terminus_class
        :none
      end

      def save(*); end
    end
  end
end
