# The values that attributes of resource types allow, and the texts that types say of themselves.
module Puppet
  module Coercion
    WORDS = { true => true, 'true' => true, 'yes' => true, false => false, 'false' => false, 'no' => false }.freeze

    class << self
      def boolean(value)
        key = value.is_a?(Symbol) ? value.to_s : value
        key = key.downcase if key.respond_to?(:downcase)
        WORDS.fetch(key) { raise 'expected a boolean value' }
      end

      def boolean_values
        %w[true false yes no]
      end
    end
  end

  module Util
    module Docs
      class << self
        # A text without the indentation that it has in the code.
        def scrub(text)
          return text.strip unless text.strip.include?("\n")

          margin = text.partition("\n").last.scan(/^[ \t]*(?=\S)/).min.to_s
          text = text.gsub(/^#{margin}/, '') unless margin.empty?
          text.lines.map(&:rstrip).join("\n").rstrip
        end
      end

      def scrub(text)
        Docs.scrub(text)
      end

      def desc(text)
        @doc = text
      end

      def doc=(text)
        @doc = text
      end

      # A term of a definition list of Markdown.
      def markdown_definitionlist(term, definition)
        first, *rest = scrub(definition).split("\n")
        rest = rest.map { |line| line.match?(/\S/) ? "  #{line}\n" : "#{line}\n" }
        "#{term}\n: #{first}\n#{rest.join}\n"
      end
    end
  end

  class Parameter
    # An allowed value: a word with its aliases, or a pattern.
    class Value
      attr_reader :name, :aliases, :event
      attr_accessor :block, :method, :required_features, :invalidate_refreshes

      def initialize(name)
        @name = name.is_a?(Regexp) ? name : word(name)
        @aliases = []
      end

      def alias(name)
        @aliases << word(name)
      end

      def event=(name)
        @event = word(name)
      end

      def regex?
        @name.is_a?(Regexp)
      end

      def match?(given)
        return @name.match?(given.to_s) if regex?

        found = word(given)
        @name == found || @aliases.include?(found)
      end

      private

      def word(value)
        value == '' ? value : value.to_s.to_sym
      end
    end

    # All values that an attribute allows.
    class ValueCollection
      def initialize
        @values = {}
      end

      def empty?
        @values.empty?
      end

      def newvalue(name, options = {}, &block)
        value = Value.new(name)
        @values[value.name] = value
        options.each { |option, given| value.public_send("#{option}=", given) unless option == :call }
        if block
          value.block = block
          value.method ||= "set_#{value.name}" unless value.regex?
        end
        value
      end

      def newvalues(*names)
        names.each { |name| newvalue(name) }
      end

      def aliasvalue(name, other)
        value = match?(other.to_sym) or raise DevError, "Cannot alias nonexistent value #{other}"
        value.alias(name)
      end

      # The canonical value of a given one; words come before patterns.
      def match?(given)
        words.find { |value| value.match?(given) } || patterns.find { |value| value.match?(given) }
      end

      def validate(given)
        return if empty? || match?(given)

        text = "Invalid value #{given.inspect}."
        text += " Valid values are #{values.join(', ')}." unless words.empty?
        text += " Valid values match #{regexes.join(', ')}." unless patterns.empty?
        raise ArgumentError, text
      end

      def munge(given)
        found = match?(given)
        found && !found.regex? ? found.name : given
      end

      def value(name)
        @values[name]
      end

      def values
        words.map(&:name)
      end

      def regexes
        patterns.map { |value| value.name.inspect }
      end

      def each(&block)
        @values.each_value(&block)
      end

      # Their documentation.
      def doc
        text = +''
        unless words.empty?
          names = words.map do |value|
            also = value.aliases.empty? ? '' : " (also called `#{value.aliases.join(', ')}`)"
            "`#{value.name}`#{also}"
          end
          text << "Valid values are #{names.join(', ')}. "
        end
        text << "Values can match `#{regexes.join('`, `')}`." unless patterns.empty?
        text
      end

      private

      def words
        @values.values.reject(&:regex?)
      end

      def patterns
        @values.values.select(&:regex?)
      end
    end
  end
end
