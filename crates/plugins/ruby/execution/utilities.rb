# Smaller helpers of Puppet.
module Puppet
  module Util
    # Differences of texts.
    module Diff
      module_function

      def diff(old, new)
        command = Puppet[:diff].to_s.empty? ? 'diff' : Puppet[:diff]
        args = Puppet[:diff_args].to_s.empty? ? '-u' : Puppet[:diff_args]
        Execution.execute([command, *args.split, old, new].join(' '), failonfail: false, combine: false)
      end

      def lcs_diff(old, new, *)
        string_file_diff_of(old, new)
      end

      def string_file_diff(path, text)
        Tempfile.create('puppet-diffing') do |file|
          file.write(text)
          file.flush
          $stdout.print(diff(path, file.path))
        end
      end

      def string_file_diff_of(old, new)
        Tempfile.create('puppet-diffing') do |first|
          first.write(old)
          first.flush
          Tempfile.create('puppet-diffing') do |second|
            second.write(new)
            second.flush
            diff(first.path, second.path)
          end
        end
      end
    end

    module Backups
      def perform_backup(path = self[:path])
        return true unless File.exist?(path)

        wanted = self[:backup]
        return true if [nil, false, :false].include?(wanted)

        if wanted.to_s.start_with?('.')
          FileUtils.cp_r(path, "#{path}#{wanted}", preserve: true)
        else
          Ordain::Bucket.backup(path)
        end
        true
      end
    end

    # SELinux, where its library for Ruby is installed.
    module SELinux
      class << self
        include SELinux
      end

      def selinux_support?
        !!(defined?(Selinux) && Selinux.is_selinux_enabled == 1)
      end

      def get_selinux_current_context(path)
        return nil unless selinux_support?

        found = Selinux.lgetfilecon(path)
        found == -1 ? nil : found[1]
      end

      def get_selinux_default_context(path, _ensure = nil)
        return nil unless selinux_support?

        mode = File.exist?(path) ? File.lstat(path).mode : 0
        found = Selinux.matchpathcon(path, mode)
        found == -1 ? nil : found[1]
      end

      def set_selinux_default_context(path, kind = nil)
        wanted = get_selinux_default_context(path, kind) or return nil
        return nil if wanted == get_selinux_current_context(path)

        Selinux.lsetfilecon(path, wanted)
        wanted
      end

      def parse_selinux_context(component, context)
        return nil if context.nil? || context == 'unlabeled'

        match = /\A([^\s:]+):([^\s:]+):([^\s:]+)(?::([\sa-zA-Z0-9:,._-]+))?\z/.match(context) or
          raise Puppet::Error, "Invalid context to parse: #{context}"

        { seluser: match[1], selrole: match[2], seltype: match[3], selrange: match[4] }[component]
      end

      def set_selinux_context(path, value, component = false)
        return nil unless selinux_support?

        context = value
        if component
          parts = get_selinux_current_context(path).split(':', 4)
          parts[%i[seluser selrole seltype selrange].index(component)] = value
          context = parts.join(':')
        end
        Selinux.lsetfilecon(path, context).zero?
      end

      def selinux_category_to_label(category)
        category
      end
    end

    # Property lists of macOS.
    module Plist
      class FormatError < RuntimeError; end

      class << self
        def parse_plist(text, *)
          require 'cfpropertylist'
          CFPropertyList.native_types(CFPropertyList::List.new(data: text).value)
        end

        def read_plist_file(path)
          parse_plist(File.binread(path))
        end

        def write_plist_file(plist, path, format = :xml)
          require 'cfpropertylist'
          made = CFPropertyList::List.new
          made.value = CFPropertyList.guess(plist)
          made.save(path, { xml: CFPropertyList::List::FORMAT_XML, binary: CFPropertyList::List::FORMAT_BINARY }[format.to_sym])
        end
      end
    end

    # Classes that code makes by name.
    module ClassGen
      def genclass(name, options = {}, &block)
        made = Class.new(options[:parent] || self)
        made.define_singleton_method(:name) { name } unless made.respond_to?(:name=)
        made.name = name if made.respond_to?(:name=)
        (options[:attributes] || {}).each { |key, value| made.public_send("#{key}=", value) }
        made.class_eval(&(options[:block] || block)) if options[:block] || block
        options[:hash][name] = made if options[:hash]
        constant = "#{options[:prefix]}#{name.to_s.split('_').map(&:capitalize).join}"
        const_set(constant, made) unless const_defined?(constant, false)
        made
      end

      def genmodule(name, options = {}, &block)
        made = ::Module.new
        made.module_eval(&(options[:block] || block)) if options[:block] || block
        options[:hash][name] = made if options[:hash]
        made
      end
    end

    module MethodHelper
      def requiredopts(*names)
        names.each { |name| devfail("#{name} is a required option for #{self.class}") if instance_variable_get("@#{name}").nil? }
      end

      def set_options(options)
        options.each { |name, value| public_send("#{name}=", value) }
      end

      def symbolize_options(options)
        options.transform_keys(&:to_sym)
      end
    end

    # Files of modules, loaded by name.
    class Autoload
      class << self
        def load_file(name, _environment = nil)
          path = Ordain.info['libs'].map { |lib| File.join(lib, "#{name}.rb") }.find { |file| File.file?(file) } or return false
          Ordain.load_text(path, File.read(path, encoding: 'UTF-8'))
          true
        end

        def files_to_load(path, _environment = nil)
          Ordain.info['libs'].flat_map { |lib| Dir.glob("#{path}/**/*.rb", base: lib) }.uniq.sort
        end
      end

      def initialize(_object, path, *)
        @path = path
      end

      def load(name, *)
        self.class.load_file(File.join(@path, name.to_s))
      end

      def loadall(*)
        self.class.files_to_load(@path).each { |file| self.class.load_file(file.delete_suffix('.rb')) }
      end

      def files_to_load(*)
        self.class.files_to_load(@path)
      end
    end

    # Data that Puppet keeps from run to run. A run of its own keeps it here.
    module Storage
      class << self
        def cache(key)
          (@cache ||= {})[key.respond_to?(:ref) ? key.ref.to_sym : key] ||= {}
        end

        def state
          @cache ||= {}
        end

        def load; end
        def store; end
      end
    end

    # The log as objects.
    class Log
      class << self
        def create(given)
          Puppet.send_log(given[:level] || :notice, given[:message].to_s)
        end

        def level
          Ordain.debug ? :debug : :notice
        end

        def level=(_level); end

        def levels
          Puppet::LEVELS
        end

        def eachlevel(&block)
          levels.each(&block)
        end

        def newdestination(*); end
        def close(*); end
        def close_all; end

        def destinations
          {}
        end

        def sendlevel?(level)
          level != :debug || Ordain.debug
        end

        def newmessage(message)
          create(level: message.level, message: message)
        end
      end
    end

    module Tagging
      def tag(*names)
        names.flatten.each { |name| (@tags ||= Set.new) << name.to_s.downcase }
      end

      def tagged?(*names)
        names.flatten.any? { |name| @tags&.include?(name.to_s.downcase) }
      end

      def tags
        @tags ||= Set.new
      end
    end

    class TagSet < Set; end

    # A lock file with the process that holds it.
    class Lockfile
      attr_reader :file_path

      def initialize(path)
        @file_path = path
      end

      def lock(data = nil)
        File.open(@file_path, File::CREAT | File::EXCL | File::WRONLY) { |file| file.print(data) }
        true
      rescue Errno::EEXIST
        false
      end

      def unlock
        File.unlink(@file_path)
        true
      rescue Errno::ENOENT
        false
      end

      def locked?
        File.exist?(@file_path)
      end

      def lock_data
        File.read(@file_path) if locked?
      end
    end

    class Pidlock
      def initialize(path)
        @lock = Lockfile.new(path)
      end

      def locked?
        @lock.locked?
      end

      def mine?
        @lock.lock_data.to_i == Process.pid
      end

      def lock
        mine? || @lock.lock(Process.pid)
      end

      def unlock
        mine? && @lock.unlock
      end

      def file_path
        @lock.file_path
      end
    end

    # Tries again after errors.
    module RetryAction
      class RetryException < StandardError
        class NoBlockGiven < RetryException; end
        class NoRetriesGiven < RetryException; end
        class RetryTimeout < RetryException; end
      end

      def self.retry_action(options = {})
        raise RetryException::NoBlockGiven unless block_given?

        left = options[:retries] or raise RetryException::NoRetriesGiven
        attempt = 0
        begin
          yield
        rescue *(options[:retry_exceptions] || [StandardError]) => e
          attempt += 1
          raise RetryException::RetryTimeout if attempt > left

          Puppet.info("Caught exception #{e.class}:#{e} retrying")
          sleep((2**attempt) * 0.1)
          retry
        end
      end
    end

    module ConstantInflector
      module_function

      def file2constant(file)
        file.split('/').map { |name| name.split('_').map(&:capitalize).join }.join('::').gsub(%r{/+}, '::')
      end

      def constant2file(name)
        name.to_s.gsub(/([a-z])([A-Z])/, '\1_\2').gsub('::', '/').downcase
      end
    end

    class Feature < Puppet::Features
      def initialize(*)
        super()
      end
    end

    module InstanceLoader; end
    module Limits; end
    module CommandLine; end
    class Metric; end
  end
end
