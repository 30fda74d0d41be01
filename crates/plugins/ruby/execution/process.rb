# The provider process: the part of its state that the shared files of the Ruby side ask for. A compile has
# other answers to the same questions (`main.rb`).
require 'rbconfig'
require 'stringio'

module Ordain
  # The time of a request is over. No `rescue` of usual code catches it.
  class Stop < Exception; end

  # A value that a compile holds. There are none in this process.
  module Held
    attr_reader :held
  end

  # Our own files, which errors do not name.
  OWN = %r{\A(?:ordain/|-e:)}

  # The directory of Ruby's own files.
  LIBRARY = RbConfig::CONFIG['rubylibdir']

  WRITER = JSON::State.new(max_nesting: 0)

  @info = { 'libs' => [], 'modules' => {}, 'modulepath' => [], 'settings' => {}, 'environment' => 'production' }
  @logs = []

  class << self
    attr_accessor :info, :facts, :debug, :requests
    attr_reader :logs

    # The provider process has no compile to ask; it knows the few answers itself.
    def ask(name, *args)
      case name
      when 'type_outline' then CoreTypes.outline(args[0])
      when 'in_range' then VersionRanges.include?(*args)
      when 'exists' then Deferred.function?(args[0])
      else raise Puppet::Error, 'a provider can not ask the compile of Puppet code, which has ended'
      end
    end

    def ask_value(name, *args)
      return DataTypes.parse(args[0]) if name == 'type'

      ask(name, *args)
    end

    # Calls a function of a module in Ruby.
    def call_function(_scope, name, args, block = nil)
      Deferred.call(name.to_s, args, &block)
    end

    def log(level, text)
      @logs << [level, text] if level != 'debug' || debug
      nil
    end

    def take_logs
      logs, @logs = @logs, []
      logs
    end

    # Evaluates the text of a file once for each content.
    def load_text(path, text)
      @loaded ||= {}
      return if @loaded[path] == text

      @loaded[path] = text
      full = File.expand_path(path)
      $LOADED_FEATURES << full
      begin
        RubyVM::InstructionSequence.compile(text, path, full, 1).eval
      rescue Exception
        @loaded.delete(path)
        $LOADED_FEATURES.delete(full)
        raise
      end
    end

    # Files of our own that are evaluated when something of them is used.
    def load_later(name)
      text = LATER.delete(name) or return false
      # The file may have more constants than the one that was asked for.
      (@later&.delete(name) || []).each { |holder, constant| holder.send(:remove_const, constant) if holder.autoload?(constant) }
      eval(text, TOPLEVEL_BINDING.dup, "#{name}.rb", 1)
      true
    end

    # Constants of a module that come from such a file.
    def later(holder, file, *names)
      names.each do |name|
        holder.send(:remove_const, name) if holder.const_defined?(name, false) && !holder.autoload?(name)
        holder.autoload(name, file)
        ((@later ||= {})[file] ||= []) << [holder, name]
      end
    end

    # Where code outside of our own files was at an error.
    def caller_place(backtrace = caller)
      line = (backtrace || []).find { |entry| !entry.match?(OWN) && !entry.start_with?('<internal', LIBRARY) }
      match = line&.match(/\A(.*?):(\d+)(?::|\z)/)
      match ? [match[1], match[2].to_i] : [nil, nil]
    end
  end
end

module Kernel
  alias ordain_require_of_modules require
  private :ordain_require_of_modules

  def require(name)
    return Ordain.load_later(name) if name.instance_of?(String) && name.start_with?('ordain/')

    ordain_require_of_modules(name)
  end
  private :require
end

module Ordain
  # The libraries of an installed Puppet, which are used for missing parts if the user asks for that.
  module Original
    @lib = nil

    class << self
      attr_reader :lib

      def use(path)
        @lib = [path, File.join(path, 'lib')].find { |dir| File.file?(File.join(dir, 'puppet/version.rb')) }
        raise Puppet::Error, "there is no library of Puppet in #{path}" unless @lib

        ::Module.prepend(Missing)
      end

      # The file of a provider of one of Puppet's own types.
      def provider_file(type, name)
        file = lib && File.join(lib, 'puppet/provider', type.to_s, "#{name}.rb")
        file if file && File.file?(file)
      end

      # Whether Puppet has a directory for the parts of a constant.
      def directory?(holder, name)
        File.directory?(File.join(@lib, [*holder.name.split('::'), name.to_s].map(&:downcase).join('/')))
      end

      # The file that Puppet defines a constant in, by its habit of naming files.
      def file_of(holder, name)
        parts = [*holder.name.split('::'), name.to_s]
        words = parts.map { |part| part.gsub(/([a-z\d])([A-Z])/, '\1_\2').downcase }
        flat = parts.map(&:downcase)
        [words, flat].map { |list| File.join(@lib, "#{list.join('/')}.rb") }.find { |file| File.file?(file) }
      end
    end

    # Loads the file of a constant that is missing.
    module Missing
      def const_missing(name)
        return super unless self.name&.start_with?('Puppet')

        file = Original.file_of(self, name)
        return Original.directory?(self, name) ? const_set(name, ::Module.new) : super unless file

        Kernel.load(file)
        const_defined?(name, false) ? const_get(name, false) : super
      end
    end
  end
end
