# Functions of modules that run on the machine, for values that the catalog leaves open.
require 'ordain/functions'

module Ordain
  module Copies
    # Refuses code that does not parse.
    def self.compiled(path, text)
      RubyVM::InstructionSequence.compile(text, path, File.expand_path(path), 1)
    end
  end

  def self.global_scope
    @global_scope ||= Deferred::Scope.new
  end

  module Deferred
    # The surroundings of a function on the machine: facts, and other functions.
    class Scope < Puppet::Parser::Scope
      def lookupvar(name, *)
        name = name.to_s.delete_prefix('::')
        name == 'facts' ? Facter.to_hash : Facter.value(name)
      end
      alias [] lookupvar

      def call_function(name, args, &block)
        Deferred.call(name.to_s, args, &block)
      end

      def environment
        Puppet::Node::Environment.current
      end

      def catalog
        nil
      end

      def compiler
        nil
      end

      def method_missing(name, *args)
        word = name.to_s[/\Afunction_(.+)/, 1]
        word ? Deferred.call(word, args[0] || []) : super
      end

      def respond_to_missing?(name, include_private = false)
        name.to_s.start_with?('function_') || super
      end
    end

    @loaded = {}

    class << self
      def function?(name)
        !file_of(name.to_s).nil?
      end

      # Calls a function of a module by its name.
      def call(name, args, &block)
        signature = @loaded[name] ||= load(name)
        return old(name, args) unless signature.key?('dispatches')

        dispatch = signature['dispatches'].index { |one| fits?(one, args, block) }
        raise ArgumentError, mismatch(name, signature, args) unless dispatch

        chosen = signature['dispatches'][dispatch]
        result = Functions.call(name, dispatch, args, Ordain.global_scope, block)
        raise ArgumentError, result if chosen['mismatch']

        result
      end

      private

      def load(name)
        path, kind = file_of(name)
        raise Puppet::Error, "Unknown function: '#{name}'. Only functions that modules define in Ruby run on the machine" unless path

        Functions.load(name, kind, path, File.read(path, encoding: 'UTF-8'))
      end

      def file_of(name)
        short = name.split('::').join('/')
        places = [["puppet/functions/#{short}.rb", 'new'], ["puppet/parser/functions/#{short}.rb", 'old']]
        places.each do |file, kind|
          lib = Ordain.info['libs'].find { |one| File.file?(File.join(one, file)) }
          return [File.join(lib, file), kind] if lib
        end
        nil
      end

      def old(name, args)
        Functions.send(:call_old, name, args, Ordain.global_scope)
      end

      def fits?(dispatch, args, block)
        params = dispatch['params']
        return false if block && dispatch['block'].nil?
        return false if block.nil? && dispatch['block'] && !dispatch['block'][1]

        least = params.count { |kind, *| kind.start_with?('required') }
        repeated = params.last&.first.to_s.end_with?('repeated')
        return false if args.size < least || (!repeated && args.size > params.size)

        args.each_with_index.all? { |arg, index| DataTypes.parse((params[index] || params.last)[1]).instance?(arg) }
      end

      def mismatch(name, signature, args)
        usual = signature['dispatches'].reject { |one| one['mismatch'] }
        shown = usual.map { |one| "(#{one['params'].map { |param| param[1] }.join(', ')})" }
        "'#{name}' expects #{shown.size > 1 ? 'one of: ' : ''}#{shown.join(', ')}, got " \
          "(#{args.map { |arg| DataTypes.name_of(arg) }.join(', ')})"
      end
    end
  end
end
