# Ranges of semantic versions, for the versions of packages.
module Ordain
  # Ranges of semantic versions.
  module VersionRanges
    class << self
      def include?(range, version)
        version = SemanticPuppet::Version.parse(version)
        range.split('||').any? { |part| clauses(part).all? { |operator, bound| version.public_send(operator, bound) } }
      end

      private

      def clauses(part)
        return [] if part.strip.match?(/\A(?:\*|x)?\z/)
        return between(*Regexp.last_match.captures) if part =~ /\A\s*(\S+)\s+-\s+(\S+)\s*\z/

        part.scan(/(>=|<=|>|<|=|~>?|\^)?\s*(\d[\w.+-]*|\d+(?:\.(?:\d+|x|\*))*)/).flat_map { |operator, text| clause(operator, text) }
      end

      def between(low, high)
        [[:>=, floor(low)], [:<=, floor(high)]]
      end

      def clause(operator, text)
        numbers = text.split(/[-+]/)[0].split('.').take_while { |one| one.match?(/\A\d+\z/) }.map(&:to_i)
        case operator
        when '>=', '>', '<=', '<' then [[operator.to_sym, floor(text)]]
        when '^' then [[:>=, floor(text)], [:<, version_of(numbers[0].zero? ? [0, numbers[1].to_i + 1] : [numbers[0] + 1])]]
        when '~', '~>' then [[:>=, floor(text)], [:<, version_of(numbers.size > 1 ? [numbers[0], numbers[1] + 1] : [numbers[0] + 1])]]
        else
          return [[:==, floor(text)]] if numbers.size >= 3

          [[:>=, version_of(numbers)], [:<, version_of([*numbers[0..-2], numbers.last + 1])]]
        end
      end

      def floor(text)
        numbers, rest = text.split('-', 2)
        parts = numbers.split('.').map { |one| one.match?(/\A\d+\z/) ? one.to_i : 0 }
        SemanticPuppet::Version.parse([parts[0], parts[1] || 0, parts[2] || 0].join('.') + (rest ? "-#{rest}" : ''))
      end

      def version_of(numbers)
        SemanticPuppet::Version.parse([numbers[0], numbers[1] || 0, numbers[2] || 0].join('.'))
      end
    end
  end
end
