# Modes of files, octal or in letters, applied to a present mode.
module Puppet
  module Util
    module SymbolicFileMode
      BITS = { 'r' => 4, 'w' => 2, 'x' => 1 }.freeze
      SHIFTS = { 'u' => 6, 'g' => 3, 'o' => 0 }.freeze
      SPECIAL = { 'u' => 0o4000, 'g' => 0o2000, 'o' => 0o1000 }.freeze

      def display_mode(value)
        value.to_s.match?(/^0?[0-7]{1,4}$/) ? value.to_s.rjust(4, '0') : value
      end

      # The mode that a change in letters makes of another.
      def symbolic_mode_to_int(change, before = 0, is_directory = false)
        return Integer(change, 8) if change.to_s.match?(/^0?[0-7]{1,4}$/)

        change.split(',').reduce(before) { |mode, part| SymbolicFileMode.change(mode, part, is_directory) }
      end

      class << self
        def change(mode, part, is_directory)
          whom, rest = part.match(/\A([ugoa]*)(.*)\z/).captures
          whom = 'ugo' if whom.empty? || whom.include?('a')
          rest.scan(/([-+=])([rwxXstugo]*)/) do |operator, what|
            if what.include?('X') && operator != '+'
              raise Puppet::Error, "X only works with the '+' operator in symbolic mode #{part.inspect}"
            end

            whom.each_char { |one| mode = apply(mode, one, operator, bits(what, mode, one, is_directory)) }
          end
          mode
        end

        private

        def bits(what, mode, one, is_directory)
          what.each_char.reduce(0) do |sum, letter|
            sum | case letter
                  when 'r', 'w', 'x' then BITS[letter] << SHIFTS[one]
                  when 'X' then is_directory || (mode & 0o111).positive? ? 1 << SHIFTS[one] : 0
                  when 's' then one == 'o' ? 0 : SPECIAL[one]
                  when 't' then 0o1000
                  else ((mode >> SHIFTS[letter]) & 7) << SHIFTS[one]
                  end
          end
        end

        def apply(mode, one, operator, wanted)
          case operator
          when '+' then mode | wanted
          when '-' then mode & ~wanted
          # The set-user-id and sticky bits stay.
          else (mode & ~(7 << SHIFTS[one])) | wanted
          end
        end
      end
    end
  end
end
