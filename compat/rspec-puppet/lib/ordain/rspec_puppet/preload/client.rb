# frozen_string_literal: true

require 'json'
require 'rbconfig'
require 'ordain/rspec_puppet/preload/address'

module Ordain
  module RSpecPuppet
    module Preload
      # Sends a run of rspec to the process that has loaded everything, and starts it if there is none.
      module Client
        # How long to wait for a new process until it accepts connections, in seconds.
        START = 60

        module_function

        # The exit code of rspec.
        def run(arguments)
          path = Preload.socket_path
          return stop(path) if arguments == ['--stop']
          return process(path) if arguments == ['--process']

          3.times do
            status = request(connect(path), arguments)
            return status unless status == :stale
          end
          warn 'ordain-rspec: the files of Puppet or rspec change while they are loaded'
          1
        end

        def stop(path)
          UNIXSocket.open(path) { |socket| send_request(socket, stop: true) }
          0
        rescue Errno::ENOENT, Errno::ECONNREFUSED
          0
        end

        # Prints the number of the process.
        def process(path)
          socket = connect(path)
          send_request(socket, process: true)
          puts JSON.parse(socket.gets.to_s)['process']
          0
        ensure
          socket&.close
        end

        # The code of the run, or `:stale` if files have changed since the process has loaded them.
        def request(socket, arguments)
          send_request(socket, arguments: arguments, directory: Dir.pwd, environment: ENV.to_h)
          worker = nil
          %w[INT TERM].each { |name| trap(name) { Process.kill(name, worker) if worker } }
          while (line = socket.gets)
            answer = JSON.parse(line)
            worker = answer['worker'] if answer.key?('worker')
            return :stale if answer['stale']
            return answer['status'] if answer.key?('status')
          end
          warn 'ordain-rspec: the run ended without a result'
          1
        rescue Errno::EPIPE, Errno::ECONNRESET
          :stale
        ensure
          socket.close
        end

        # The streams come first: a reader of lines would take the bytes that carry them.
        def send_request(socket, **request)
          [$stdin, $stdout, $stderr].each { |io| socket.send_io(io) }
          socket.puts(JSON.generate(request))
        end

        def connect(path)
          UNIXSocket.new(path)
        rescue Errno::ENOENT, Errno::ECONNREFUSED
          start(path)
        end

        def start(path)
          server = File.expand_path('server.rb', __dir__)
          log = path.sub(/socket\z/, 'log')
          # Puppet and its facts are some hundred thousand objects that live to the end; without room for them
          # Ruby would mark them again and again.
          room = { 'RUBY_GC_HEAP_INIT_SLOTS' => '1500000', 'RUBY_GC_MALLOC_LIMIT' => '134217728',
                   'RUBY_GC_MALLOC_LIMIT_MAX' => '268435456', 'RUBY_GC_OLDMALLOC_LIMIT' => '268435456',
                   'RUBY_GC_OLDMALLOC_LIMIT_MAX' => '536870912' }
          pid = Process.spawn(room, RbConfig.ruby, server, path, in: File::NULL, %i[out err] => [log, 'w'], pgroup: true)
          deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + START
          until Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
            begin
              socket = UNIXSocket.new(path)
              Process.detach(pid)
              return socket
            rescue Errno::ENOENT, Errno::ECONNREFUSED
              raise "ordain-rspec: the process did not start; see #{log}" if Process.waitpid(pid, Process::WNOHANG)

              sleep 0.02
            end
          end
          raise "ordain-rspec: the process did not start in #{START} seconds; see #{log}"
        end
      end
    end
  end
end
