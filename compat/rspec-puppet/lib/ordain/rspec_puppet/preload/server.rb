# frozen_string_literal: true

$LOAD_PATH.unshift(File.expand_path('../../..', __dir__))

require 'json'
require 'rspec/core'
require 'ordain/rspec_puppet/preload/address'
require 'ordain/rspec_puppet/preload/bytecode'
require 'ordain/rspec_puppet/preload/libraries'
require 'ordain/rspec_puppet/preload/worker'

module Ordain
  module RSpecPuppet
    module Preload
      # Loads the code that all suites need, and forks for each run.
      class Server
        # Seconds without a run after which the process ends.
        IDLE = 900

        def initialize(path)
          @path = path
        end

        def run
          load_code
          listen
          loop do
            ready = IO.select([@server], nil, nil, IDLE)
            break if ready.nil? || serve(@server.accept) == :stop
          end
        ensure
          File.delete(@path) if @server && owner?
        end

        private

        # Code that looks at no file of the module and at no option of rspec.
        def load_code
          Listeners.record { require 'ordain-rspec-puppet' }
          %w[rspec/expectations rspec/mocks rspec-puppet-facts].each { |name| optional(name) }
          Facts.index if defined?(::FacterDB)
          Libraries.load
          Bytecode.compile_puppet
          GC.start
          @files = ($LOADED_FEATURES + Bytecode.paths).uniq.to_h { |path| [path, mtime(path)] }
        end

        def optional(name)
          require name
        rescue LoadError
          nil
        end

        def mtime(path)
          File.mtime(path)
        rescue SystemCallError
          nil
        end

        def listen
          new = "#{@path}.#{Process.pid}"
          @server = UNIXServer.new(new)
          # Of two processes that start at once, the later one stays.
          File.rename(new, @path)
          @inode = File.stat(@path).ino
        end

        def owner?
          File.stat(@path).ino == @inode
        rescue Errno::ENOENT
          false
        end

        def serve(socket)
          streams = Array.new(3) { socket.recv_io }
          request = JSON.parse(socket.gets || '{}')
          return :stop if request['stop']
          socket.puts(JSON.generate(process: Process.pid)) if request['process']
          return unless request['arguments']

          if @files.any? { |path, time| mtime(path) != time }
            socket.puts(JSON.generate(stale: true))
            return :stop
          end
          start(socket, request, streams)
          nil
        rescue SystemCallError, SocketError, JSON::ParserError
          # The client has gone.
          nil
        ensure
          streams&.each(&:close)
          socket.close
        end

        def start(socket, request, streams)
          waiter = fork do
            @server.close
            supervise(socket, request, streams)
          end
          Process.detach(waiter)
        end

        # Runs the suite in a further process, so that its end, however it comes, is told to the client.
        def supervise(socket, request, streams)
          worker = fork do
            socket.close
            Worker.run(request, streams)
          end
          socket.puts(JSON.generate(worker: worker))
          Thread.new do
            socket.read
            Process.kill(:TERM, worker)
          rescue Errno::ESRCH
            # The run has ended.
          end
          _, status = Process.wait2(worker)
          socket.puts(JSON.generate(status: status.exitstatus || (128 + status.termsig)))
        rescue Errno::EPIPE
          nil
        ensure
          exit!(0)
        end
      end
    end
  end
end

Ordain::RSpecPuppet::Preload::Server.new(ARGV.fetch(0)).run
