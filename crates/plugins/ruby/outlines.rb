# The definition of a resource type as plain data, for translators to other languages. Code is
# represented by its place.
module Ordain
  module Types
    class << self
      def outline_of(name)
        made = Puppet::Type.types[name.to_sym]
        {
          'doc' => own_doc(made),
          'attributes' => made.attributes.values.map { |one| outline_attribute(one) },
          'validate' => place(made, :unsafe_validate),
          'methods' => methods_of(made, %i[unsafe_validate validate]),
          'automatic' => automatic_of(made),
          'titles' => titles(made),
          'isomorphic' => made.isomorphic?,
          'features' => features_of(made),
          'providers' => providers?(made),
          'api' => made.respond_to?(:type_definition) && !made.type_definition.nil?
        }
      end

      private

      def own_doc(made)
        doc = made.instance_variable_get(:@doc)
        doc ? Puppet::Util::Docs.scrub(doc.to_s) : ''
      end

      def outline_attribute(made)
        values = made.value_collection
        {
          'name' => made.name.to_s,
          'property' => made <= Puppet::Property ? true : false,
          'doc' => own_doc(made),
          'namevar' => made.isnamevar? || made.name == :name,
          'array' => made.respond_to?(:array_matching) && made.array_matching == :all,
          'base' => base(made),
          'words' => typed?(made) ? [] : words(values),
          'patterns' => typed?(made) ? [] : patterns(values),
          'default' => default(made),
          'validate' => place(made, :unsafe_validate),
          'munge' => place(made, :unsafe_munge),
          'unmunge' => place(made, :unsafe_unmunge),
          'methods' => methods_of(made, %i[unsafe_validate unsafe_munge unsafe_unmunge default]),
          'features' => Array(made.required_features).map(&:to_s)
        }.merge(typed?(made) ? typed(made) : {})
      end

      def typed?(made)
        made.respond_to?(:options) && !made.options.nil?
      end

      # An attribute of the Resource API.
      def typed(made)
        {
          'type' => made.options[:type].to_s,
          'doc' => made.options[:desc].to_s.strip,
          'behaviour' => made.options[:behaviour].to_s
        }
      end

      def base(made)
        case
        when made <= Puppet::Parameter::Boolean, made <= Puppet::Property::Boolean then 'boolean'
        when made <= Puppet::Parameter::Path then 'path'
        when made <= Puppet::Property::KeyValue, made <= Puppet::Property::List then 'list'
        else ''
        end
      end

      # Words with their synonyms.
      def words(values)
        all = values.enum_for(:each).reject(&:regex?)
        all.map { |one| [one.name.to_s, *one.aliases.map(&:to_s)] }
      end

      def patterns(values)
        values.enum_for(:each).select(&:regex?).map { |one| [one.name.source, flags(one.name)] }
      end

      def flags(regexp)
        letters = { 'm' => Regexp::MULTILINE, 'i' => Regexp::IGNORECASE, 'x' => Regexp::EXTENDED }
        letters.select { |_, flag| (regexp.options & flag).positive? }.keys.join
      end

      # The value of a default, or the place of its code.
      def default(made)
        return nil unless made.method_defined?(:default)

        code = made.instance_method(:default)
        file, line = code.source_location
        return { 'ensure' => true } if made <= Puppet::Property::Ensure && file&.match?(OWN)
        return { 'file' => file, 'line' => line } unless file&.match?(OWN)

        literal(made.allocate.default)
      rescue StandardError, ScriptError => e
        { 'file' => file, 'line' => line, 'why' => e.class.name }
      end

      def literal(value)
        case value
        when Symbol, String then { 'value' => value.to_s }
        when Integer, Float, true, false then { 'value' => value }
        when Array
          items = value.map { |one| literal(one) }
          items.all? { |one| one.key?('value') } ? { 'value' => items.map { |one| one['value'] } } : { 'shown' => value.inspect }
        else { 'shown' => value.inspect }
        end
      end

      # The place of a method's code, if modules define it.
      def place(made, method)
        return nil unless made.method_defined?(method) || made.private_method_defined?(method)

        file, line = made.instance_method(method).source_location
        file.nil? || file.match?(OWN) ? nil : { 'file' => file, 'line' => line }
      end

      # Further methods of a definition, in the order of the source; Ruby's own order is undefined.
      def methods_of(made, known)
        names = made.instance_methods(false) + made.private_instance_methods(false)
        methods = (names - known).filter_map do |name|
          found = place(made, name)
          found&.merge('name' => name.to_s)
        end
        methods.sort_by { |method| method.values_at('file', 'line', 'name') }
      end

      def automatic_of(made)
        Puppet::Type::AUTOMATIC.flat_map do |kind|
          made.automatic(kind).map do |type, code|
            file, line = code.source_location
            { 'kind' => "auto#{kind}", 'type' => type.to_s, 'file' => file, 'line' => line }
          end
        end
      end

      # Whether a type has its own title patterns, and their place.
      def titles(made)
        file, line = made.method(:title_patterns).source_location
        file.nil? || file.match?(OWN) ? nil : { 'file' => file, 'line' => line }
      end

      def features_of(made)
        made.features.map(&:to_s)
      end

      def providers?(made)
        return true unless made.provider_hash.empty?

        Ordain.info['libs'].any? { |lib| Dir.exist?(File.join(lib, 'puppet/provider', made.name.to_s)) }
      end
    end
  end
end
