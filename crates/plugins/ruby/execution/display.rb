# Values of properties as the log shows them: the way that Puppet code writes them.
module Ordain
  module Display
    SPECIAL = { "\n" => '\n', "\r" => '\r', "\t" => '\t', "\e" => '\u{1B}' }.freeze

    class << self
      def of(value)
        value.nil? || value == :undef ? '' : show(value, 0)
      end

      private

      def show(value, depth)
        case value
        when nil, :undef then 'undef'
        when :default then 'default'
        when true, false, Integer then value.to_s
        when Float then Kernel.format('%f', value)
        when Array then list(value, depth)
        when Hash then hash(value, depth)
        when Regexp then value.source
        when Wire::SENSITIVE then value.to_s
        when Class, ::Module then value.to_s
        else text(value.to_s)
        end
      end

      # Control characters need double quotes.
      def text(value)
        value = Wire.text(value)
        return "'#{value.gsub("'") { "\\'" }}'" unless value.match?(/[[:cntrl:]]/)

        inner = value.gsub(/["\\$]/) { |found| "\\#{found}" }
        "\"#{inner.gsub(/[[:cntrl:]]/) { |found| SPECIAL[found] || "\\u{#{found.ord.to_s(16).upcase}}" }}\""
      end

      # A list or hash within a list begins a line, and whatever comes after it too.
      def list(items, depth)
        margin = "\n#{'  ' * (depth + 1)}"
        after_container = false
        parts = items.each_with_index.map do |item, index|
          container = item.is_a?(Array) || item.is_a?(Hash)
          lead = container || after_container ? margin : (index.zero? ? '' : ' ')
          after_container = container
          lead + show(item, depth + 1)
        end
        "[#{parts.join(',')}]"
      end

      def hash(items, depth)
        margin = '  ' * (depth + 1)
        lines = items.map { |key, item| "#{margin}#{show(key, depth + 1)} => #{show(item, depth + 1)}" }
        "{\n#{lines.join(",\n")}\n#{'  ' * depth}}"
      end
    end
  end
end
