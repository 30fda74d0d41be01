# This process and the compile share a processor, because they wait for each other, and a switch
# between processors takes longer than most calls. Child processes of code get all processors, and
# code that counts processors finds all.
require 'etc'

module Ordain
  module Processors
    @shared = false

    class << self
      # The process id, for a compile that shares its processor; `nil` if forks of code cannot be
      # detected.
      def share
        @shared = Ordain.info['shares_processor'] == true && Process.respond_to?(:_fork)
        @shared ? Process.pid : nil
      end

      # Lets this process have all processors from now on.
      def use_all
        return unless @shared && Ordain.asks_here?

        @shared = false
        Ordain.ask('processors')
      end

      # A module whose methods let the process have all processors first.
      def before(*names)
        Module.new do
          names.each { |name| class_eval("def #{name}(...)\n  Ordain::Processors.use_all\n  super\nend", 'ordain/processors.rb') }
        end
      end
    end

    STARTING = %i[spawn system exec `].freeze
    Kernel.prepend(before(*STARTING).tap { |methods| methods.send(:private, *STARTING) })
    Kernel.singleton_class.prepend(before(*STARTING))
    Process.singleton_class.prepend(before(:spawn, :exec))
    IO.singleton_class.prepend(before(:popen))
    Etc.singleton_class.prepend(before(:nprocessors))
  end
end
