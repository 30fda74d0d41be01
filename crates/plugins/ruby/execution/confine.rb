# The conditions of providers as classes, which modules add their own to.
module Puppet
  class Confine
    @tests = {}

    class << self
      attr_accessor :name

      def inherited(made)
        super
        made.name = made.to_s.split('::').last.downcase.to_sym
        Confine.tests[made.name] = made
      end

      def tests
        @tests
      end

      def test(name)
        Confine.tests[name.to_sym]
      end
    end

    attr_reader :values
    attr_accessor :for_binary, :label

    def initialize(values)
      @values = [values].flatten(1)
    end

    def for_binary?
      for_binary
    end

    def message(_value)
      ''
    end

    def pass?(value)
      !!value
    end

    def valid?
      values.all? { |value| pass?(value) }
    end

    def result
      values.map { |value| pass?(value) }
    end

    def reset; end
  end

  module Confiner
    def confine(given)
      (@confines ||= []) << given
    end

    def suitable?(*)
      probe = Class.new(Provider)
      (@confines || []).each { |given| probe.confine(given) }
      probe.suitable?
    end
  end
end
