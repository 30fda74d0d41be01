# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    # Leaves Ruby's load path as it is from one example to the next.
    #
    # rspec-puppet adds the directories of all modules for each example, many times each, and Puppet's test
    # helper empties and fills the list after it. After each change, the next `require` resolves all its
    # directories anew, and each `require` searches all of them.
    module LoadPath
      # What the two do with the list while this module listens.
      module Listener
        def <<(directory)
          return super unless LoadPath.added

          LoadPath.added << directory
          self
        end

        def clear
          LoadPath.added ? self : super
        end
      end

      # The directories of the modules.
      module Support
        def setup_puppet
          LoadPath.listen(->(added) { LoadPath.use(added) }) { super }
        end
      end

      # The list of before the example.
      module Helper
        def after_each_test
          return super unless LoadPath.unchanged?

          LoadPath.listen(->(_) {}) { super }
        end
      end

      @own = []

      class << self
        # The directories that were to be added; nil unless something listens.
        attr_reader :added

        def install
          $LOAD_PATH.extend(Listener)
          ::RSpec::Puppet::Support.prepend(Support)
          ::Puppet::Test::TestHelper.singleton_class.prepend(Helper) if defined?(::Puppet::Test::TestHelper)
        end

        # Calls the block, and then the action with the directories that the block would have added.
        def listen(action)
          @added = []
          result = yield
          added = @added
          @added = nil
          action.call(added)
          result
        ensure
          @added = nil
        end

        # Replaces the directories of the modules of the example before.
        def use(directories)
          wanted = directories.uniq
          unless @wanted == wanted && unchanged?
            $LOAD_PATH.reject! { |directory| @own.include?(directory) }
            @own = wanted - $LOAD_PATH
            $LOAD_PATH.concat(@own)
            @wanted = wanted
          end
          @after = $LOAD_PATH.dup
        end

        # Whether the list is the one of the last example.
        def unchanged?
          $LOAD_PATH == @after
        end
      end
    end
  end
end
