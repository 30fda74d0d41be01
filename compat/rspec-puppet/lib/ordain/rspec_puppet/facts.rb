# frozen_string_literal: true

require 'digest'
require 'fileutils'
require 'json'

module Ordain
  module RSpecPuppet
    # Answers queries of FacterDB without parsing the whole database for each of them.
    #
    # FacterDB 1 gives a text of JSON with all its fact sets to JGrep, which parses it and evaluates the
    # filter for each fact set, several times for each operating system of a module. The answer depends
    # only on a few facts of each fact set. They are kept in an index, JGrep's own comparison decides about
    # each distinct value once, and only the fact sets of the answer are parsed.
    module Facts
      # The facts that filters usually name. A query with another one is left to FacterDB.
      NAMES = %w[
        architecture facterversion hardwaremodel kernel operatingsystem operatingsystemmajrelease
        operatingsystemrelease osfamily
      ].freeze
      # The parts of an expression of JGrep that combine statements, as Ruby writes them.
      OPERATORS = { 'and' => '&&', 'or' => '||', '(' => '(', ')' => ')' }.freeze
      STATEMENT = /\A(\w+)=/.freeze

      # Replaces the query of FacterDB, if this version has one that uses JGrep.
      module Query
        def get_facts(filter = nil, cache = true)
          return super if cache && filter && filter == Thread.current[:facterdb_last_filter_seen]

          found = Facts.select(filter)
          return super if found.nil?

          if cache
            Thread.current[:facterdb_last_filter_seen] = filter
            Thread.current[:facterdb_last_facts_seen] = found
          end
          found
        end
      end

      class << self
        def install
          require 'facterdb'
          return unless defined?(::JGrep) && ::FacterDB.respond_to?(:facterdb_fact_files) &&
                        ::FacterDB.respond_to?(:generate_filter_str)

          ::FacterDB.singleton_class.prepend(Query)
        rescue LoadError
          nil
        end

        # The fact sets of a filter, or nil if only FacterDB itself can tell.
        def select(filter)
          test = condition(::FacterDB.generate_filter_str(filter))
          return nil if test.nil?

          index = self.index
          return nil if index.nil?

          index.select { |_, values| test.call(values) }.map { |path, _| read(path).transform_keys(&:to_sym) }
        rescue StandardError
          # JGrep leaves out a fact set at which it fails, and says so.
          nil
        end

        # For each file of the database its path and its values of `NAMES`; nil if a file is no fact set.
        # As FacterDB does, a process reads its files once.
        def index
          place = ENV.values_at('FACTERDB_SEARCH_PATHS', 'FACTERDB_SKIP_DEFAULTDB', 'FACTERDB_INJECT_SOURCE')
          return @index if @place == place

          @place = place
          files = ::FacterDB.facterdb_fact_files
          state = files.map do |path|
            stat = File.stat(path)
            [path, stat.size, stat.mtime.to_f]
          end
          @index = stored(Digest::SHA256.hexdigest(JSON.generate(state))) { make(files) }
        end

        private

        def make(files)
          files.map do |path|
            facts = read(path)
            return nil unless facts.is_a?(Hash)

            values = NAMES.map { |name| facts[name] }
            # JGrep looks into lists and maps.
            return nil if values.any? { |value| value.is_a?(Hash) || value.is_a?(Array) }

            [path, values]
          end
        rescue JSON::ParserError
          nil
        end

        def read(path)
          JSON.parse(::FacterDB.send(:read_json_file, path), create_additions: false)
        end

        # An index of an earlier process. It is in the cache directory of the user, as JSON.
        def stored(digest)
          base = ENV['XDG_CACHE_HOME'].to_s
          base = File.join(Dir.home, '.cache') if base.empty?
          path = File.join(base, 'ordain', "facterdb-#{digest}.json")
          known = load_index(path)
          return known if known

          yield.tap { |index| store(path, index) if index }
        rescue SystemCallError, ArgumentError
          # No home directory, or one that cannot be written.
          yield
        end

        def load_index(path)
          JSON.parse(File.read(path))
        rescue Errno::ENOENT, JSON::ParserError
          nil
        end

        def store(path, index)
          FileUtils.mkdir_p(File.dirname(path))
          new = "#{path}.#{Process.pid}"
          File.write(new, JSON.generate(index))
          File.rename(new, path)
        end

        # A test of the values of a fact set; nil for expressions with more than `name=value`, `and`, `or`
        # and parentheses. JGrep evaluates its expressions with `eval` of Ruby, too, for each fact set.
        def condition(expression)
          return ->(_) { true } if expression.empty?

          tests = []
          words = ::JGrep::Parser.new(expression).execution_stack.map do |part|
            kind, statement = part.first
            next OPERATORS[kind] || (return nil) unless kind == 'statement'

            tests << (comparison(statement) || (return nil))
            "tests[#{tests.size - 1}].call(values)"
          end
          # The text consists of the operators and indexes above.
          eval("->(values) { #{words.join(' ')} }", binding, __FILE__, __LINE__) # rubocop:disable Security/Eval
        end

        # JGrep's own comparison, once for each value.
        def comparison(statement)
          return nil unless statement.is_a?(String)

          name = statement[STATEMENT, 1]
          at = NAMES.index(name)
          return nil if at.nil?

          @comparisons ||= {}
          known = @comparisons[statement] ||= {}
          lambda do |values|
            value = values[at]
            known.fetch(value) { known[value] = ::JGrep.has_object?({ name => value }, statement) }
          end
        end
      end
    end
  end
end
