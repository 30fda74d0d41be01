# Functions of modules: those made by `Puppet::Functions.create_function`, and the older ones made by
# `Puppet::Parser::Functions.newfunction`.
module Puppet
  module Functions
    # A function with its signatures.
    class Function
      attr_reader :loader

      class << self
        attr_accessor :func_name

        # Its name is that of the function.
        def name
          func_name || super
        end

        def dispatches
          @dispatches ||= []
        end

        def type_aliases
          @type_aliases ||= []
        end

        def dispatch(method, &block)
          dispatches << builder(method, false).tap { |made| made.instance_eval(&block) }
        end

        def argument_mismatch(method, &block)
          dispatches << builder(method, true).tap { |made| made.instance_eval(&block) }
        end

        def local_types(&block)
          LocalTypes.new(type_aliases).instance_eval(&block)
        end

        def builder(method, mismatch)
          Dispatch.new(method, mismatch)
        end

        def loader
          nil
        end

        # A function without signatures gets that of its method.
        def default_dispatch
          method = func_name.split('::').last.to_sym
          name = method
          unless method_defined?(method) || private_method_defined?(method)
            raise ArgumentError, "Function Creation Error, cannot create a default dispatcher for function " \
                                 "'#{name}', no method with this name found"
          end
          made = builder(method, false)
          instance_method(method).parameters.each do |kind, name|
            case kind
            when :req then made.param('Any', name)
            when :opt then made.optional_param('Any', name)
            when :rest then made.repeated_param('Any', name || :args)
            end
          end
          dispatches << made
        end
      end

      def initialize(closure_scope, loader = nil)
        @closure_scope = closure_scope
        @loader = loader
      end

      def closure_scope
        @closure_scope || Ordain.global_scope
      end

      def call_function(name, *args, &block)
        Ordain.call_function(closure_scope, name, args, block)
      rescue Puppet::PreformattedError => e
        raise unless e.message == "Unknown function: '#{name}'."

        raise ArgumentError, "Function #{self.class.name}(): Unknown function: '#{name}'"
      end

      def call(scope, *args, &block)
        Ordain.call_function(scope, self.class.name, args, block)
      end
    end

    # A function that may ask for its context.
    class InternalFunction < Function
      def self.builder(method, mismatch)
        InternalDispatch.new(method, mismatch)
      end

      def call_function_with_scope(scope, name, *args, &block)
        Ordain.call_function(scope, name, args, block)
      end
    end

    # One signature and its method.
    class Dispatch
      attr_reader :method, :weaving

      def initialize(method, mismatch)
        @method, @mismatch = method, mismatch
        @params = []
        @weaving = []
        # Whether the method gets the arguments unchanged.
        @is_plain = true
      end

      def param(type, name)
        check_order('A required parameter cannot be added after an optional parameter') { |kind| kind != 'optional' }
        add('required', type, name)
      end
      alias required_param param

      def optional_param(type, name)
        add('optional', type, name)
      end

      def repeated_param(type, name)
        add('repeated', type, name)
      end
      alias optional_repeated_param repeated_param

      def required_repeated_param(type, name)
        check_order('A required repeated parameter cannot be added after an optional parameter') { |kind| kind != 'optional' }
        add('required_repeated', type, name)
      end

      def block_param(*type_and_name)
        set_block(false, *type_and_name)
      end
      alias required_block_param block_param

      def optional_block_param(*type_and_name)
        set_block(true, *type_and_name)
      end

      def return_type(type)
        @returns = type.to_s
      end

      # The signature for the compile.
      def to_data
        { 'method' => method.to_s, 'params' => @params, 'block' => @block, 'returns' => @returns, 'mismatch' => @mismatch }
      end

      # The arguments of the method.
      def weave(args, scope)
        # Most methods take the arguments of the function.
        return args if @is_plain && args.size <= weaving.size

        weaving.flat_map do |knit|
          case knit
          when Symbol then [Functions.injected(knit, scope)]
          when Range then args[knit] || []
          else knit < args.size ? [args[knit]] : []
          end
        end
      end

      private

      def check_order(message)
        raise ArgumentError, message unless @params.all? { |kind, *| yield kind }
      end

      def add(kind, type, name)
        raise ArgumentError, 'Parameters cannot be added after a block parameter' if @block
        raise ArgumentError, 'Parameters cannot be added after a repeated parameter' if @params.last&.first&.end_with?('repeated')
        raise ArgumentError, "Parameter name argument must be a Symbol. Got #{name.class}" if name.is_a?(String)

        at = @params.size
        repeated = kind.end_with?('repeated')
        @is_plain &&= !repeated && weaving.size == at
        @weaving << (repeated ? (at..) : at)
        @params << [kind, type.to_s, name.to_s]
      end

      def set_block(optional, *type_and_name)
        raise ArgumentError, 'Attempt to redefine block' if @block

        type, name = type_and_name.size < 2 ? ['Callable', type_and_name[0] || :block] : type_and_name
        raise ArgumentError, "Expected block_param name to be a Symbol, got #{name.class}" unless name.is_a?(Symbol)

        @block = [type.to_s, optional, name.to_s]
      end
    end

    # A signature with parameters that the caller does not pass.
    class InternalDispatch < Dispatch
      %i[scope script_compiler cache compiler pal_compiler].each do |what|
        define_method("#{what}_param") do
          @is_plain = false
          @weaving << what
        end
      end
    end

    # The block of `local_types`.
    class LocalTypes
      def initialize(aliases)
        @aliases = aliases
      end

      def type(assignment)
        @aliases << assignment.to_s
      end
    end

    # The values that functions with a `cache_param` have stored, by object.
    class ObjectCache
      def initialize
        @values = {}.compare_by_identity
      end

      def retrieve(object)
        @values[object] ||= {}
      end
    end

    class << self
      attr_accessor :created

      def create_function(name, base = Function, &block)
        create(name.to_s, base, &block)
      rescue StandardError => e
        raise ArgumentError, "Function Load Error for function '#{name}': #{e.message}"
      end

      def create(name, base, &block)
        raise ArgumentError, "Functions must be based on Puppet::Pops::Functions::Function. Got #{base}" unless base <= Function

        made = Class.new(base)
        made.func_name = name
        made.class_eval(&block)
        made.default_dispatch if made.dispatches.empty?
        self.created = made
      end
      alias create_loaded_function create_function

      def injected(what, scope)
        case what
        when :scope then scope
        when :cache then @cache ||= ObjectCache.new
        else scope.compiler
        end
      end

      def forget
        @cache = nil
      end
    end
  end

  module Pops
    module Functions
      Function = Puppet::Functions::Function
    end

    module Loader
      # Definitions in files of functions are in this class.
      class RubyFunctionInstantiator
      end
    end
  end

  module Parser
    # Functions of the older interface, which are methods of the scope.
    module Functions
      @known = {}

      class << self
        def newfunction(name, options = {}, &block)
          name = name.to_s
          arity = options[:arity] || -1
          type = options[:type] || :statement
          raise Puppet::DevError, "Invalid statement type #{type.inspect}" unless %i[statement rvalue].include?(type)

          Scope.send(:define_method, "real_function_#{name}", &block)
          Scope.send(:define_method, "function_#{name}") { |*args| Functions.run(self, name, *args) }
          Puppet::Functions.created = name
          @known[name] = { arity: arity, type: type, name: "function_#{name}", doc: options[:doc] }
        end

        def run(scope, name, *args)
          unless args[0].is_a?(Array)
            raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. ' \
                                 'For example, function_example([1]) instead of function_example(1)'
          end
          arity, given = @known[name][:arity], args[0].size
          if arity >= 0 && given != arity
            raise ArgumentError, "#{name}(): Wrong number of arguments given (#{given} for #{arity})"
          elsif arity.negative? && given < -arity - 1
            raise ArgumentError, "#{name}(): Wrong number of arguments given (#{given} for minimum #{-arity - 1})"
          end
          result = back(scope.send("real_function_#{name}", args[0]))
          @known[name][:type] == :rvalue ? result : nil
        end

        def known(name)
          @known[name.to_s]
        end

        # The method of the function, loaded if need be; false if there is none.
        def function(name, _environment = nil)
          return known(name)[:name] if known(name)

          Ordain.ask('exists', name.to_s) ? "function_#{name}" : false
        end

        def rvalue?(name, _environment = nil)
          function = known(name)
          function ? function[:type] == :rvalue : !!Ordain.ask('exists', name.to_s)
        end

        def arity(name, _environment = nil)
          known(name)&.fetch(:arity) || -1
        end

        def autoloader
          Autoloader.new
        end

        def environment_module(_environment = nil)
          Scope
        end

        def reset; end

        # Arguments in the form that older functions know.
        def old_arguments(args)
          args.map { |value| value.nil? ? '' : old(value) }
        end

        private

        def old(value)
          case value
          when Array then value.map { |item| old(item) }
          when Hash then value.to_h { |key, item| [old(key), old(item)] }
          when Regexp then value.inspect
          when String then value.frozen? ? value.dup : value
          when SemanticPuppet::Version, Pops::Types::PBinaryType::Binary then value.to_s
          when Pops::Types::PCatalogEntryType then value.to_resource
          when Pops::Types::Plain then value.to_s
          else value
          end
        end

        def back(value)
          case value
          when :undef then nil
          when Array then value.map { |item| back(item) }
          when Hash then value.to_h { |key, item| [back(key), back(item)] }
          else value
          end
        end
      end

      # The built-in functions that cannot be called by a method of the scope.
      NEWER = %w[
        assert_type binary_file break defined dig each epp filter find_file hiera hiera_array hiera_hash hiera_include
        inline_epp lest lookup map match new next reduce regsubst return reverse_each slice split step strftime then type with
      ].freeze

      class Error
        def self.is4x(name)
          raise ParseError, "#{name}() can only be called using the 4.x function API. See Scope#call_function"
        end
      end

      class Autoloader
        def load(name, _environment = nil)
          !!Functions.function(name)
        end

        def loadall(_environment = nil); end

        def loaded?(name)
          !!Functions.known(name)
        end

        def delegatee
          self
        end
      end
    end
  end
end

module Ordain
  # The functions that were loaded into this process.
  module Functions
    @classes = {}
    @instances = {}

    class << self
      # Loads a file of the interface `kind` and returns the signatures of the function.
      def load(name, kind, path, text)
        Puppet::Functions.created = nil
        Ordain.load_text(path, kind == 'new' ? inside(path, text) : text)
        kind == 'new' ? declare(name, path) : declare_old(name, path)
      end

      def call(name, dispatch, args, scope, block)
        return call_old(name, args, scope) if dispatch.nil?

        instance = @instances[name] ||= @classes.fetch(name).new(Ordain.global_scope)
        chosen = instance.class.dispatches.fetch(dispatch)
        catch(:next) { instance.send(chosen.method, *chosen.weave(args, scope), &block) }
      end

      def forget
        @instances.clear
        Puppet::Functions.forget
      end

      private

      # Text before the code of a file, such as magic comments.
      COMMENTS = /\A(?:[ \t]*(?:#[^\n]*)?\n|=begin\b.*?^=end[^\n]*\n)*/m

      # The text of a file as Puppet evaluates it: inside of a class, whose constants are those of the file.
      def inside(path, text)
        comments = text[COMMENTS]
        code = text.delete_prefix(comments).sub(/^__END__\r?$.*/m, '')
        whole = "#{comments}class Puppet::Pops::Loader::RubyFunctionInstantiator; #{code}\nend"
        Copies.compiled(path, whole)
        whole
      rescue SyntaxError
        # Evaluation of the text itself reports the error and the place.
        text
      end

      def declare(name, path)
        made = Puppet::Functions.created || @classes[name]
        unless made
          raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 4x API function - no create_function call."
        end
        unless made.func_name == name
          raise Puppet::Error, "The code loaded from #{path} produced mis-matched name, expected '#{name}', got #{made.func_name}"
        end

        @classes[name] = made
        { 'dispatches' => made.dispatches.map(&:to_data), 'types' => made.type_aliases }
      end

      def declare_old(name, path)
        known = Puppet::Parser::Functions.known(name)
        made = Puppet::Functions.created
        unless made || known
          raise ArgumentError, "The code loaded from #{path} does not seem to be a Puppet 3x API function - no 'newfunction' call."
        end
        unless known
          raise ArgumentError, "The code loaded from #{path} produced mis-matched name, expected 'function_#{name}', got 'function_#{made}'"
        end
        { 'arity' => known[:arity], 'rvalue' => known[:type] == :rvalue }
      end

      def call_old(name, args, scope)
        scope.send("function_#{name}", Puppet::Parser::Functions.old_arguments(args))
      end
    end
  end
end
