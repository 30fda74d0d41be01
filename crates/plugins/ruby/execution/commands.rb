# Running programs, as providers do it.
require 'etc'
require 'English'

module Puppet
  module Util
    module Execution
      LOCALE = %w[LANG LC_ALL LC_MESSAGES LANGUAGE LC_COLLATE LC_CTYPE LC_MONETARY LC_NUMERIC LC_TIME].freeze
      USER = %w[HOME USER LOGNAME].freeze
      NoOptionsSpecified = {}.freeze

      class << self
        # Runs a program and returns its output. Without any options it fails if the program does.
        def execute(command, options = NoOptionsSpecified)
          bare = NoOptionsSpecified.equal?(options)
          options = { failonfail: bare, combine: bare, squelch: false, override_locale: true }.merge(options)
          command = command.flatten.map(&:to_s) if command.is_a?(Array)
          shown = options[:sensitive] ? '[redacted]' : [command].flatten.join(' ')
          Puppet.debug { "Executing#{as_whom(options)}: '#{shown}'" }
          if options[:cwd] && !File.directory?(options[:cwd])
            raise ArgumentError, "Working directory #{options[:cwd]} does not exist!"
          end

          text, status = run([command].flatten, options)
          if options[:failonfail] && status != 0
            raise ExecutionFailure, "Execution of '#{shown}' returned #{status}: #{text.strip}"
          end
          ProcessOutput.new(text, status)
        end
        alias util_execute execute

        # Yields the output of a command while it runs.
        def execpipe(command, failonfail = true)
          shown = command.respond_to?(:join) ? command.join(' ') : command
          Puppet.debug { "Executing '#{shown}'" }
          output = IO.popen({ 'LANG' => 'C', 'LC_ALL' => 'C' }, "#{shown} 2>&1") { |pipe| yield pipe }
          raise ExecutionFailure, output.to_s if failonfail && $?.exitstatus != 0

          output
        end

        def execfail(command, exception)
          execute(command, failonfail: true, combine: true)
        rescue ExecutionFailure
          raise exception, "Execution of '#{[command].flatten.join(' ')}' failed"
        end

        def ruby_path
          File.join(RbConfig::CONFIG['bindir'], RbConfig::CONFIG['ruby_install_name'])
        end

        private

        def as_whom(options)
          parts = %i[uid gid].filter_map { |name| " #{name}=#{options[name]}" if options[name] }
          parts.empty? ? '' : " with#{parts.join}"
        end

        # The output and the exit status. Descendants that keep the output open are not waited for.
        def run(words, options)
          reader, writer = options[:squelch] ? [nil, File::NULL] : IO.pipe
          pid = start(words, options, writer)
          writer.close unless options[:squelch]
          return ['', wait(pid)] if options[:squelch]

          collect(pid, reader)
        rescue SystemCallError => e
          raise if pid

          Puppet.err("Could not execute posix command: #{e.message}")
          ['', 1]
        rescue Timeout::Error, Ordain::Stop
          stop(pid) if pid
          raise
        ensure
          reader&.close
          writer.close if writer.is_a?(IO) && !writer.closed?
        end

        # How long in seconds the end of a program goes unnoticed whose descendants keep its output open.
        NOTICE = 0.02

        def collect(pid, reader)
          text = +''.b
          status = nil
          until status
            if IO.select([reader], nil, nil, NOTICE)
              part = reader.read_nonblock(65_536, exception: false)
              break if part.nil?

              text << part if part.is_a?(String)
            else
              status = Process.wait2(pid, Process::WNOHANG)&.last
            end
          end
          status ||= Process.wait2(pid).last
          [text.force_encoding(Encoding.default_external), status.exitstatus]
        end

        def wait(pid)
          Process.wait2(pid).last.exitstatus
        end

        def stop(pid)
          Process.kill(:TERM, -pid)
          Process.detach(pid)
        rescue SystemCallError
          nil
        end

        def start(words, options, output)
          settings = {
            in: options[:stdinfile] || File::NULL, out: output,
            err: options[:combine] ? %i[child out] : File::NULL, pgroup: true
          }
          settings[:chdir] = options[:cwd] if options[:cwd]
          variables = environment(options)
          return start_as(words, options, variables, settings) if options[:uid] || options[:gid]

          Process.spawn(variables, *words, settings)
        end

        # A process of another user is a copy of this one first.
        def start_as(words, options, variables, settings)
          uid = options[:uid] && SUIDManager.convert_xid(:uid, options[:uid])
          gid = options[:gid] && SUIDManager.convert_xid(:gid, options[:gid])
          fork do
            SUIDManager.change_privileges(uid, gid, true)
            Kernel.exec(variables, *words, settings)
          rescue StandardError
            exit!(1)
          end
        end

        def environment(options)
          variables = {}
          LOCALE.each { |name| variables[name] = nil } if options[:override_locale]
          variables.update('LANG' => 'C', 'LC_ALL' => 'C') if options[:override_locale]
          USER.each { |name| variables[name] = nil }
          (options[:custom_environment] || {}).each { |name, value| variables[name.to_s] = value&.to_s }
          variables
        end
      end

      def execpipe(*args, &block)
        Execution.execpipe(*args, &block)
      end
    end

    # The names and numbers of users and groups.
    module POSIX
      LOCALE_ENV_VARS = Execution::LOCALE
      USER_ENV_VARS = Execution::USER
      extend self

      def get_posix_field(space, field, id)
        raise Puppet::DevError, 'Did not get id from caller' unless id

        entry = if id.is_a?(Integer)
                  space.to_s.start_with?('gr') ? Etc.getgrgid(id) : Etc.getpwuid(id)
                else
                  space.to_s.start_with?('gr') ? Etc.getgrnam(id) : Etc.getpwnam(id)
                end
        entry[field]
      rescue ArgumentError
        nil
      end

      def search_posix_field(space, field, id)
        get_posix_field(space, field, id)
      end

      def uid(user)
        posix_id(user, :passwd, :uid)
      end

      def gid(group)
        posix_id(group, :group, :gid)
      end

      def groups_of(user)
        groups = []
        Etc.group { |entry| groups << entry.name if entry.mem.include?(user) }
        groups.uniq
      end

      def posix_id(given, space, field)
        number = Integer(given, exception: false)
        get_posix_field(space, field, number || given)
      end
    end
    # Acting as another user for a while.
    module SUIDManager
      class << self
        %i[euid euid= egid egid= uid uid= gid gid= groups groups=].each do |name|
          define_method(name) { |*args| Process.public_send(name, *args) }
        end

        def root?
          Process.uid.zero?
        end

        def asuser(uid = nil, gid = nil)
          return yield unless root? && (uid || gid)

          before = [Process.euid, Process.egid]
          begin
            change_privileges(uid, gid)
            yield
          ensure
            change_privileges(uid && before[0], before[1])
          end
        end

        def change_privileges(uid = nil, gid = nil, permanently = false)
          return unless uid || gid

          uid = convert_xid(:uid, uid) if uid
          gid ||= Etc.getpwuid(uid).gid
          change_group(gid, permanently)
          change_user(uid, permanently) if uid
        end

        def change_group(group, permanently = false)
          gid = convert_xid(:gid, group)
          return if Process.egid == gid

          permanently ? Process::GID.change_privilege(gid) : Process.egid = gid
        end

        def change_user(user, permanently = false)
          uid = convert_xid(:uid, user)
          return if Process.euid == uid

          if permanently || Process.euid.zero?
            initgroups(uid)
            permanently ? Process::UID.change_privilege(uid) : Process.euid = uid
          else
            Process.euid = uid
            initgroups(uid)
          end
        end

        def convert_xid(kind, id)
          return id if id.is_a?(Integer)

          words = { gid: 'group', uid: 'user' }
          raise ArgumentError, "Invalid id type #{kind}" unless words.key?(kind)

          Util.public_send(kind, id) or raise Puppet::Error, "Invalid #{words[kind]}: #{id}"
        end

        def initgroups(uid)
          entry = Etc.getpwuid(uid)
          Process.initgroups(entry.name, entry.gid)
        end

        def run_and_capture(command, uid = nil, gid = nil)
          text = Execution.execute(command, failonfail: false, combine: true, uid: uid, gid: gid)
          [text, text.exitstatus]
        end
      end

      def asuser(...)
        SUIDManager.asuser(...)
      end

      def root?
        SUIDManager.root?
      end
    end
  end

  class ExecutionFailure
    attr_accessor :exitstatus
  end
end
