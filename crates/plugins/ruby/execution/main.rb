# The entry of the provider process: reads requests, one at a time, and answers them. A message is its length
# in four bytes and JSON.
module Ordain
  module Execution
    # When `Stop` may be raised.
    ANY_TIME = { Stop => :immediate }.freeze
    LATER = { Stop => :never }.freeze
    # The most entries of a backtrace that an error has.
    MAX_TRACE = 20
    # How often the guard finds nothing to watch over before it ends.
    MAX_IDLE = 8

    @deadline = nil
    @mutex = Mutex.new
    @seconds = SECONDS
    @memory = MEMORY

    class << self
      attr_accessor :seconds, :memory

      def run(input)
        @input = input
        @output = IO.for_fd(input.fileno, 'wb', autoclose: false)
        @output.sync = true
        @main = Thread.current
        [$stdout, $stderr].each { |io| io.sync = true }
        keep_to_ourselves
        take_signals
        Thread.handle_interrupt(LATER) { serve }
        own = [@input, @output]
        own.each { |io| io.close unless io.closed? }
        # Code may have asked for something at the end, such as the removal of its temporary files.
        exit
      rescue IOError, SystemCallError
        exit!(1)
      end

      # Runs a block within the time of a request, and returns its error if it fails.
      def guarded
        timed { yield }
        nil
      rescue Exception => e
        # A process that code forked has no part in the conversation.
        exit!(1) if @output.closed?

        describe(e)
      end

      # An error with its place in the code of modules.
      def describe(error)
        trace = (error.backtrace || []).reject { |entry| entry.match?(OWN) || entry.start_with?('<internal') }
        # A file that does not parse has no line of its own in the backtrace.
        if error.is_a?(SyntaxError) && (match = error.message.match(/\A(.+?):(\d+):/))
          trace.unshift("#{match[1]}:#{match[2]}")
        end
        file, line = place(error, trace)
        {
          'message' => message_of(error), 'file' => file, 'line' => line,
          'trace' => trace.first(MAX_TRACE).map { |entry| Wire.text(entry) }
        }
      end

      def message_of(error)
        case error
        when Stop then error.message
        when SystemExit then "the provider wants to end the program (exit status #{error.status})"
        when NoMemoryError then "it takes more than #{memory >> 20} MiB of memory"
        when SystemStackError then 'stack level too deep'
        when LoadError then MissingLibrary.message(error)
        else Wire.text(error.message.to_s)
        end
      rescue StandardError
        error.class.name
      end

      private

      def place(error, trace)
        trace += error.cause.backtrace || [] if error.cause
        Ordain.caller_place(trace)
      end

      def serve
        while (message = receive)
          answer = answer(message)
          send_message(answer)
          break if message['do'] == 'close'
        end
      end

      def answer(message)
        value = nil
        @limit = message['seconds'] || seconds
        error = guarded { value = Requests.public_send(verb(message['do']), message) }
        error ? { 'error' => error } : { 'ok' => value }
      end

      def verb(name)
        raise Puppet::DevError, "unknown request: #{name}" unless Requests::VERBS.include?(name)

        name
      end

      def receive
        return if @input.eof?

        JSON.parse(@input.read(@input.read(4).unpack1('N')).force_encoding(Encoding::UTF_8), max_nesting: false)
      end

      def send_message(message)
        raise IOError, 'a process of its own' if @output.closed?

        text = WRITER.generate(message)
        @output.write([text.bytesize].pack('N'), text)
      end

      # A process that code forks must not speak on the channel.
      def keep_to_ourselves
        own = [@input, @output]
        own.each { |io| io.close_on_exec = true }
        return unless Process.respond_to?(:_fork)

        Process.singleton_class.prepend(Module.new do
          define_method(:_fork) do
            pid = super()
            own.each { |io| io.close unless io.closed? } if pid.zero?
            pid
          end
        end)
      end

      # The engine decides about the end of the run: an interrupt from the terminal does not tear a change. Programs
      # that providers start have the usual reactions.
      def take_signals
        trap('INT') { nil }
        trap('TERM') { exit!(143) }
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      # Runs a block that may take the time of a request. Each resource of a request has its own.
      def timed
        outer = @deadline
        @mutex.synchronize { @deadline = now + limit }
        @guard = Thread.new { guard } unless @guard&.alive?
        Thread.handle_interrupt(ANY_TIME) { yield }
      ensure
        @mutex.synchronize { @deadline = outer && (now + limit) }
      end

      # The seconds of the present request.
      def limit
        @limit || seconds
      end

      # Watches over a request. Without one it ends after a while.
      def guard
        idle = 0
        until idle > MAX_IDLE
          reason = @mutex.synchronize do
            found = @deadline && excess
            @deadline = now + 1 if found
            idle = @deadline ? 0 : idle + 1
            found
          end
          @main.raise(Stop, reason) if reason
          sleep([limit / 20.0, 0.25].min)
        end
      end

      # The limit that the process exceeds. A limit of the system would also apply to the programs that
      # providers start.
      def excess
        return "it takes more than #{limit} s" if now > @deadline

        pages = File.read('/proc/self/statm').split[1].to_i
        "it takes more than #{memory >> 20} MiB of memory" if pages * PAGE > memory
      rescue SystemCallError
        nil
      end

      PAGE = 4096
    end
  end

  # Help for libraries that are not installed.
  module MissingLibrary
    # Gems whose libraries have other names.
    GEMS = {
      'augeas' => 'ruby-augeas', 'facets' => 'facets', 'pg' => 'pg', 'mysql' => 'mysql2', 'rubygems/commands' => nil,
      'aws-sdk-core' => 'aws-sdk-core', 'rexml' => 'rexml', 'selinux' => nil, 'win32ole' => nil, 'savon' => 'savon',
      'openstack' => 'fog-openstack', 'json' => 'json', 'xmlsimple' => 'xml-simple', 'iconv' => 'iconv',
      'inifile' => 'inifile', 'toml' => 'toml', 'puppet_x' => nil, 'puppetx' => nil
    }.freeze
    # Packages of distributions with libraries that no gem has.
    PACKAGES = { 'selinux' => 'ruby-selinux (libselinux-ruby)' }.freeze

    class << self
      def message(error)
        text = Wire.text(error.message)
        path = error.path || text[/cannot load such file -- (\S+)/, 1]
        return text if path.nil? || path.start_with?('/')

        first = path.split('/').first
        return "#{text}: install the package #{PACKAGES[first]}" if PACKAGES.key?(first)

        gem = GEMS.fetch(path) { GEMS.fetch(first, first) }
        gem ? "#{text}: install the gem with `#{program} install #{gem}`" : text
      end

      private

      def program
        beside = File.join(RbConfig::CONFIG['bindir'], 'gem')
        ENV['PATH'].to_s.split(':').include?(RbConfig::CONFIG['bindir']) ? 'gem' : beside
      end
    end
  end
end
