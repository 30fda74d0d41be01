# Copies of this process, one for each compile.
#
# State that code leaves behind, such as globals, class variables and constants, ends with its copy.
# At its end a copy reports caches that make the next ones faster without other effects: compiled
# files, results that functions computed from data files, and libraries that code used without
# requiring them.
module Ordain
  module Copies
    # The end of the report of a copy that completed its work.
    DONE = 'done'
    # The maximal number of bytes of a report.
    MAX_REPORT = 64 << 20
    # Values that do not depend on definitions of code.
    PLAIN = [String, Symbol, Integer, Float, NilClass, TrueClass, FalseClass].freeze

    @compiled = {}
    @told_files = {}

    class << self
      # Whether a copy is being made, and the pipe for its report.
      attr_reader :making, :told

      # Starts a compile: its copy answers from now on. This process continues when the copy ends.
      def make(info)
        learn
        reader, writer = IO.pipe(binmode: true)
        pid = copy
        return begin_compile(info, reader, writer) if pid.nil?

        writer.close
        said = reader.read
        reader.close
        status = Process.wait2(pid)[1]
        end_as(status) unless said.delete_suffix!(DONE)
        @said = said
        Ordain.send_message(['ok', nil])
      rescue Errno::EAGAIN, Errno::ENOMEM, NotImplementedError
        # Without a copy it is this process.
        Ordain.send_message(Ordain.answer(['begin', info]))
      end

      # The compile has ended.
      def finish
        return Ordain.send_message(['ok', nil]) unless told

        said = what_was_learned
        told.write(said) if said.bytesize < MAX_REPORT
        told.write(DONE)
        told.close
        # The compile does not wait for exit handlers.
        Ordain.hang_up
        exit
      end

      # Ends this process after the exit handlers of code. Objects are not freed one by one, which
      # takes longer than creating a copy, unless code has finalizers.
      def leave
        return if @has_finalizers || !($!.nil? || $!.is_a?(SystemExit))

        ObjectSpace.each_object(IO) { |io| flush(io) }
        exit!($!.nil? || $!.status)
      end

      # Code has registered finalizers.
      def finalizes
        @has_finalizers = true
      end

      # The code of a file.
      def compiled(path, text)
        known = @compiled[path]
        return known[1] if known && known[0] == text

        code = RubyVM::InstructionSequence.compile(text, path, File.expand_path(path), 1)
        (@texts ||= {})[path] = text
        @compiled[path] = [text, code]
        code
      end

      private

      def flush(io)
        io.flush unless io.closed?
      rescue IOError, SystemCallError
        nil
      end

      def copy
        @making = true
        fork
      ensure
        @making = false
      end

      def begin_compile(info, reader, writer)
        reader.close
        @told = writer
        @texts = {}
        @libraries = LIBRARIES.keys.select { |name| Object.autoload?(name) }
        @told_files = Puppet::Pops::Types::LookupContext::FILES.dup
        Ordain.send_message(Ordain.answer(['begin', info]))
      end

      # An incomplete copy was killed, so this process ends in the same way.
      def end_as(status)
        if status.signaled?
          trap(status.termsig, 'DEFAULT') unless [9, 19].include?(status.termsig)
          Process.kill(status.termsig, Process.pid)
          sleep
        end
        exit!(status.exitstatus)
      end

      def what_was_learned
        files = Puppet::Pops::Types::LookupContext::FILES.reject { |path, known| @told_files[path].equal?(known) }
        files.select! { |_, (_, data)| plain?(data) }
        Marshal.dump([@texts, files, @libraries.reject { |name| Object.autoload?(name) }])
      end

      def plain?(data, depth = 0)
        case data
        when Array then data.instance_of?(Array) && depth < 100 && data.all? { |item| plain?(item, depth + 1) }
        when Hash
          data.instance_of?(Hash) && depth < 100 && !data.compare_by_identity? && data.default_proc.nil? &&
            data.all? { |key, item| plain?(key, depth + 1) && plain?(item, depth + 1) }
        else PLAIN.include?(data.class)
        end
      end

      # Takes over the caches of the last copy.
      def learn
        return if @said.nil? || @said.empty?

        texts, files, libraries = Marshal.load(@said)
        @said = nil
        texts.each { |path, text| compiled(path, text) }
        Puppet::Pops::Types::LookupContext::FILES.update(files)
        # This one changes how libraries are found.
        (libraries - [:Gem]).each { |name| Object.const_get(name) }
      rescue ScriptError, StandardError
        nil
      end
    end
  end
end

ObjectSpace.singleton_class.prepend(Module.new do
  def define_finalizer(...)
    Ordain::Copies.finalizes
    super
  end
end)
