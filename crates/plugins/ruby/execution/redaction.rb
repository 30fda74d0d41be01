# Secrets of a resource, which no message may show.
module Ordain
  module Execution
    module Redaction
      TEXT = '[redacted]'
      # Shorter texts are too common to be looked for.
      LEAST = 4

      class << self
        # An answer without the secrets of a declaration.
        def clean(declared, answer)
          secrets = secrets_of(declared)
          secrets.empty? ? answer : replace(answer, secrets)
        end

        private

        def secrets_of(declared)
          names = declared['sensitive'] || []
          values = declared['values'] || {}
          wrapped = values.each_value.select { |value| value.is_a?(Hash) && value[Wire::TYPE] == 'Sensitive' }
          texts(values.values_at(*names)) | texts(wrapped.map { |value| value[Wire::VALUE] })
        end

        def texts(value)
          case value
          when String then value.size < LEAST ? [] : [value]
          when Array then value.flat_map { |one| texts(one) }
          when Hash then value.each_value.flat_map { |one| texts(one) }
          else []
          end
        end

        def replace(part, secrets)
          case part
          when String then secrets.reduce(part) { |text, secret| text.include?(secret) ? text.gsub(secret, TEXT) : text }
          when Array then part.map { |one| replace(one, secrets) }
          when Hash then part.to_h { |key, one| [key, %w[values watch].include?(key) ? one : replace(one, secrets)] }
          else part
          end
        end
      end
    end
  end
end
