# Custom facts of modules that the run was not given: providers ask for facts that get a value during the run,
# such as the version of a package that another resource installs.
module Ordain
  module CustomFacts
    class << self
      # The fact of a name, from the files of modules; nil if none defines it.
      def fact(name)
        Facter.collecting? ? collection.fact(name) : Facter.collect(collection) { collection.fact(name) }
      end

      # The fact of a name without the value that the run was given.
      def fresh(name)
        known = fact(name) or return
        collection.core.delete(name)
        known.flush
        known
      end

      private

      def collection
        @collection ||= Collection.new(Facter.to_hash, {}, Ordain.info['libs'].map { |lib| File.join(lib, 'facter') })
      end
    end
  end

  class << self
    # The interface that the collection of custom facts needs.
    def evaluate(path, text)
      load_text(path, text)
    end

    def renew; end

    def describe(error)
      Execution.describe(error)
    end
  end
end

module Facter
  # A fact that the run was given. After `flush` the machine tells its value.
  class GivenFact
    attr_reader :name, :value

    def initialize(name, value)
      @name, @value = name, value
    end

    def flush
      known = Ordain::CustomFacts.fresh(@name)
      @value = known.value if known
    end
  end

  class << self
    alias value_of_run value
    private :value_of_run

    def value(name)
      found = value_of_run(name)
      found.nil? && !collecting? ? Ordain::CustomFacts.fact(name)&.value : found
    end

    def fact(name)
      known = core_value(name)
      known.nil? || collecting? ? Ordain::CustomFacts.fact(name) : GivenFact.new(name.to_s, known)
    end
    alias [] fact
  end
end
