# The process that runs modules' Ruby code: answers requests of the compile, one at a time, and
# sends requests during them. A message is its length in four bytes and JSON.
#
# Each compile has a copy of this process, so that it sees no state of other compiles. At its end
# the copy reports caches for later ones (`copies.rb`).
require 'rbconfig'
require 'stringio'

module Ordain
  # The time limit of a call. No usual `rescue` catches it.
  class Stop < Exception; end

  # A jump of Puppet code, such as `return`, on its way through Ruby code.
  class Jump < Exception
    attr_reader :unwound

    def initialize(message, unwound)
      super(message)
      @unwound = unwound
    end
  end

  # An error of the compile on its way through Ruby code.
  module Unwound
    attr_accessor :unwound
  end

  # The output of code, up to a size.
  class Printed < StringIO
    MAX_OUTPUT = 1 << 16

    def write(*texts)
      size > MAX_OUTPUT ? texts.sum { |text| text.to_s.bytesize } : super
    end

    def take
      text = string.dup
      truncate(0)
      rewind
      text
    end
  end

  # The maximum number of log messages that are batched.
  MOST_LOGS = 256

  # The number of seconds after which no further Hiera level is queried in one request.
  MOST_IN_TURN = 1

  # Our own files, which errors do not name.
  OWN = %r{\A(?:ordain/|-e:)}

  # The directory of Ruby's own files.
  LIBRARY = RbConfig::CONFIG['rubylibdir']

  # Writes messages. Creating a writer takes longer than writing a message.
  WRITER = JSON::State.new(max_nesting: 0)

  # The times at which `Stop` may be raised.
  ANY_TIME = { Stop => :immediate }.freeze
  LATER = { Stop => :never }.freeze

  @functions = {}
  @deadline = nil
  @mutex = Mutex.new

  class << self
    attr_reader :functions, :info, :scope, :raw

    def run(input)
      @input = input
      @output = IO.for_fd(input.fileno, 'wb', autoclose: false)
      @output.sync = true
      @main = Thread.current
      @printed = $stdout = $stderr = Printed.new
      at_exit { Copies.leave }
      limit_memory
      keep_to_ourselves
      Thread.handle_interrupt(LATER) { serve }
    rescue IOError, SystemCallError
      exit!(1)
    end

    # Sends a request to the compile, which may call back meanwhile.
    def ask(name, *args)
      paused do
        send_message(['ask', name, *args])
        # `loop` would catch the error of `break`.
        while true
          message = receive || exit!(0)
          case message[0]
          when 'ok' then return message[1]
          when 'err' then raise_unwound(*message[1..])
          else send_message(answer(message))
          end
        end
      end
    end

    # Whether the compile can answer a request: it waits for the code of this thread.
    def asks_here?
      Thread.current == @main && !@output.closed?
    end

    # Logs a message, which the compile gets before the next request or answer.
    def log(level, text)
      return if @silent

      (@logs ||= []) << [level, Wire.pack(text)]
      return if @logs.size < MOST_LOGS

      logs = take_logs
      @output.write(logs) unless @output.closed?
      nil
    end

    # Runs a block whose messages are those of a run, not of a compile.
    def silently
      before, @silent = @silent, true
      yield
    ensure
      @silent = before
    end

    # The answer to a request whose result is a Puppet value.
    def ask_value(name, *args)
      Wire.unpack(ask(name, *args))
    end

    # Requests an operation with arguments that code may keep using.
    def ask_shared(name, about, *args)
      SharedValues.settle(false)
      args.map! { |arg| arg.is_a?(Array) ? arg.map { |value| SharedValues.give(value) } : arg }
      SharedValues.take(*ask(name, about, *args)).first
    end

    # Calls a function of any kind in the compile.
    def call_function(scope, name, args, block = nil)
      blocks << block if block
      number = block && (blocks.size - 1)
      ask_shared('call', scope.id, name.to_s, args, number, block && block.arity)
    ensure
      blocks.pop if block
    end

    # A lambda of Puppet code as a Ruby block.
    def block(data)
      id, arity = data['id'], data['arity']
      code = proc { |*args| Ordain.ask_shared('block', id, args) }
      code.define_singleton_method(:arity) { arity }
      code.define_singleton_method(:parameters) { data['parameters'].map { |kind, name| [kind.to_sym, name.to_sym] } }
      code.define_singleton_method(:held) { id }
      code.extend(Held)
      code
    end

    def blocks
      @blocks ||= []
    end

    # A regular expression in the form that Puppet writes it.
    def regexp_source(regexp)
      options = regexp.options & (Regexp::IGNORECASE | Regexp::EXTENDED | Regexp::MULTILINE)
      options.zero? ? regexp.source : regexp.to_s
    end

    # The place outside our own files that called.
    def caller_place(backtrace = caller)
      line = (backtrace || []).find { |entry| !entry.match?(OWN) && !entry.start_with?('<internal', LIBRARY) }
      match = line&.match(/\A(.*?):(\d+)(?::|\z)/)
      match ? [match[1], match[2].to_i] : [nil, nil]
    end

    # Answers requests until there are no more.
    def serve
      while (message = receive)
        case message[0]
        when 'compile' then Copies.make(message[1])
        when 'end' then Copies.finish
        else send_message(answer(message))
        end
      end
    end

    # Ends the conversation.
    def hang_up
      [@input, @output].each { |io| io.close unless io.closed? }
    end

    # Evaluates the text of a file once for each content.
    def load_text(path, text)
      @loaded ||= {}
      return if @loaded[path] == text

      evaluate(path, text)
      @loaded[path] = text
      $LOADED_FEATURES << File.expand_path(path)
    end

    def evaluate(path, text)
      Copies.compiled(path, text).eval
    end

    # The time of the call begins anew.
    def renew
      @mutex.synchronize { @deadline = now + SECONDS if @deadline }
    end

    def describe(error)
      trace = error.backtrace || []
      own = trace.reject { |entry| entry.match?(OWN) || entry.start_with?('<internal') }
      # A file with a syntax error has no line in the backtrace.
      if error.is_a?(SyntaxError) && (match = error.message.match(/\A(.+?):(\d+):/))
        own.unshift("#{match[1]}:#{match[2]}")
      end
      out = { 'class' => error.class.name, 'message' => message_of(error), 'trace' => own.first(20).map { |l| scrub(l) } }
      out['unwound'] = error.unwound if error.respond_to?(:unwound)
      out['undefined_type'] = true if error.is_a?(Types::UndefinedType)
      out['attribute'] = error.attribute&.to_s if error.is_a?(OfAttribute)
      out['place'] = [error.file, error.line] if error.is_a?(Puppet::ParseError) && error.file
      out
    end

    def answer(message)
      value = timed { SharedValues.frame { Handlers.public_send(*message) } }
      tell_printed
      value.instance_of?(Puppet::Pops::Types::LookupContext) ? ['none', value.number_held] : ['ok', value]
    rescue Exception => e
      tell_printed unless @output.closed?
      raise if e.is_a?(IOError) && @output.closed?

      ['err', describe(e)]
    end

    def send_message(message)
      text = WRITER.generate(message)
      raise IOError, 'a process of its own' if @output.closed?

      logs = take_logs
      logs ? @output.write(logs, [text.bytesize].pack('N'), text) : @output.write([text.bytesize].pack('N'), text)
    end

    private

    # The unsent log messages, as a message to the compile.
    def take_logs
      return unless @logs

      text = WRITER.generate(@logs.unshift('logs'))
      @logs = nil
      [text.bytesize].pack('N') << text
    end

    # Reports the output of code since the last report.
    def tell_printed
      return if @printed.size.zero?

      ask('printed', scrub(@printed.take))
    end

    def receive
      # One read returns everything that is available, so that most messages take one system call.
      return if @input.eof?

      @raw = @input.read(@input.read(4).unpack1('N')).force_encoding(Encoding::UTF_8)
      JSON.parse(@raw, max_nesting: false)
    end

    def raise_unwound(message, id, kind)
      raise Jump.new(message, id) if kind == 'jump'

      error = (kind == 'break' ? Puppet::Pops::Evaluator::PuppetStopIteration : Puppet::PreformattedError).new(message)
      error.extend(Unwound)
      error.unwound = id
      raise error
    end

    def message_of(error)
      case error
      when Stop then error.message
      when SystemExit then "it wants to end the program (exit status #{error.status})"
      when NoMemoryError then "it takes more than #{MEMORY >> 20} MiB of memory"
      when SystemStackError then 'stack level too deep'
      else scrub(error.message.to_s)
      end
    rescue StandardError
      error.class.name
    end

    def scrub(text)
      text.dup.force_encoding('UTF-8').scrub
    end

    def limit_memory
      Process.setrlimit(Process::RLIMIT_AS, MEMORY)
      Process.setrlimit(Process::RLIMIT_CORE, 0)
    rescue SystemCallError, NotImplementedError
      nil
    end

    # A process that code forks must not talk to the compile.
    def keep_to_ourselves
      input, output = @input, @output
      return unless Process.respond_to?(:_fork)

      Process.singleton_class.prepend(Module.new do
        define_method(:_fork) do
          Processors.use_all unless Copies.making
          pid = super()
          own = Copies.making ? [] : [input, output, Copies.told].compact
          own.each { |io| io.close unless io.closed? } if pid.zero?
          pid
        end
      end)
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # Runs a block with a time limit; an outer time limit continues after it.
    def timed
      before = @deadline
      watch(now + SECONDS)
      Thread.handle_interrupt(ANY_TIME) { yield }
    ensure
      @mutex.synchronize { @deadline = before }
    end

    # Runs a block that does not count towards the time limit.
    def paused
      left = @deadline && (@deadline - now)
      @mutex.synchronize { @deadline = nil }
      Thread.handle_interrupt(LATER) { yield }
    ensure
      @mutex.synchronize { @deadline = now + left } if left
    end

    def watch(deadline)
      @mutex.synchronize { @deadline = deadline }
      @dog = Thread.new { guard } unless @dog&.alive?
    rescue ThreadError
      nil
    end

    def guard
      loop do
        late = @mutex.synchronize do
          over = @deadline && now > @deadline
          @deadline = now + 1 if over
          over
        end
        @main.raise(Stop, "it takes more than #{SECONDS} s") if late
        sleep([SECONDS / 20.0, 0.25].min)
      end
    end
  end

  # The requests of the compile.
  module Handlers
    class << self
      # A compile begins.
      def begin(info)
        Ordain.begin(info)
        Processors.share
      end

      # Replaces texts of variables that code changed in place elsewhere.
      def texts_changed
        Puppet::Parser::Scope.constant.clear
        nil
      end

      # Loads the file of a function; returns its signatures.
      def load(name, kind, path, text)
        Functions.load(name, kind, path, text)
      end

      # Calls a function that was loaded.
      def call(name, dispatch, scope, block, base, args)
        args = SharedValues.take(base, args, SharedValues::REQUEST)
        scope, block = Puppet::Parser::Scope.of(scope), block && Ordain.block(block)
        at = args.index { |arg| arg.instance_of?(Puppet::Pops::Types::LookupContext) }
        return given(Functions.call(name, dispatch, args, scope, block)) unless at

        # Functions of Hiera throw this for a missing key.
        catch(:no_such_key) { return given(Functions.call(name, dispatch, args, scope, block)) }
        args[at]
      end

      # Calls a function of Hiera for each level until one has the key; returns the level and the
      # value.
      def call_until_found(name, scope, calls)
        scope = Puppet::Parser::Scope.of(scope)
        calls.each { |call| call[1] = SharedValues.take(nil, call[1], SharedValues::REQUEST) }
        begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        calls.each_with_index do |(dispatch, args), at|
          catch(:no_such_key) { return [at, given(Functions.call(name, dispatch, args, scope, nil))] }
          # The levels after a slow one get the full time of a call.
          return args.last if Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun > MOST_IN_TURN
        end
        calls.last[1].last
      end

      # Calls a block that Ruby code passed to a function of the compile.
      def block(number, base, args)
        args = SharedValues.take(base, args, SharedValues::REQUEST)
        given(Ordain.blocks.fetch(number).call(*args))
      end

      # Queries a backend of Hiera 3; returns whether it has the key, and the value or the reason
      # why it was not queried.
      def hiera3(name, key, scope, options, override, merge)
        options, override, merge = Wire.unpack(options), Wire.unpack(override), Wire.unpack(merge)
        found, value = Hiera::Backends.ask(name, key, Puppet::Parser::Scope.of(scope), options, override, merge)
        [found, found ? given(value) : value]
      end

      # Decrypts a value with an encryptor of eyaml; returns whether that worked, and the text or the
      # reason.
      def eyaml(scheme, cipher, options)
        Hiera::EyamlPlugins.decrypt(scheme, cipher, Wire.unpack(options))
      end

      # Renders an ERB template.
      def erb(path, text, scope, base, variables)
        variables = SharedValues.take(base, variables, SharedValues::REQUEST)
        rendered = Templates.render(path, text, variables, Puppet::Parser::Scope.of(scope))
        SharedValues.settle(true)
        rendered
      end

      # Applies an operator to a number of Ruby.
      def operate(operator, operands)
        left, *right = operands.map { |operand| Wire.unpack(operand) }
        ['value', given(left.public_send(operator, *right))]
      rescue NoMethodError
        ['missing']
      rescue ZeroDivisionError
        ['zero']
      end

      # Loads the file of a resource type and returns its structure.
      def type(name, path, text)
        Types.load(name, path, text)
      end

      # The attribute values from a title.
      def title(type, title)
        Wire.pack(Types.parse_title(type, title))
      end

      # The custom facts of directories, on top of the known facts of the machine.
      def facts(core, outside, dirs)
        Ordain.collect_facts(core, outside, dirs)
      end

      # The definition of a loaded resource type with its documentation.
      def model(name)
        Types.model(name)
      end

      # The definition of a loaded resource type with the places of its code.
      def outline(name)
        Types.outline_of(name)
      end

      # The resources of a complete catalog after processing by their types.
      def examine(list)
        Types.examine(list)
      end

      private

      # A value for the compile, after a report of changes.
      def given(value)
        SharedValues.settle(true)
        SharedValues.hand_over(value)
      end
    end
  end

  # State that differs between compiles.
  def self.begin(info)
    @info = info
    @info['libs'].each { |lib| $LOAD_PATH << File.expand_path(lib) unless $LOAD_PATH.include?(File.expand_path(lib)) }
    Puppet::Node::Environment.forget
    Puppet.forget
    Puppet::Parser::Scope.forget
    Functions.forget
    SharedValues.forget
    Puppet::Pops::Types::LookupContext.forget
  end
end
