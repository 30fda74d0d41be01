# File types: how each file is read and written, and its backups.
module Puppet
  module Util
    class FileType
      class FileReadError < Puppet::Error; end

      class << self
        attr_accessor :name

        def newfiletype(name, &block)
          made = Class.new(self)
          made.name = name
          made.class_eval(&block)
          made.prepend(Checked)
          const_set("FileType#{name.to_s.capitalize}", made)
          (@filetypes ||= {})[name] = made
        end

        def filetype(name)
          FileType.known[name]
        end

        def known
          @filetypes ||= {}
        end
      end

      # Errors name the file. Puppet's own header is not content.
      module Checked
        def read
          text = super
          @loaded = Time.now
          text ? text.gsub(/# HEADER.*\n/, '') : ''
        rescue Puppet::Error
          raise
        rescue StandardError => e
          raise_named('read', e)
        end

        def write(text)
          made = super
          @synced = Time.now
          made
        rescue Puppet::Error
          raise
        rescue StandardError => e
          raise_named('write', e)
        end

        private

        def raise_named(verb, error)
          made = Puppet::Error.new("#{self.class} could not #{verb} #{path}: #{error}")
          made.set_backtrace(error.backtrace)
          raise made
        end
      end

      attr_accessor :loaded, :path, :synced

      def initialize(path, default_mode = nil)
        raise ArgumentError, 'Path is nil' if path.nil?

        @path, @default_mode = path, default_mode
      end

      def bucket
        Ordain::Bucket
      end

      def cronargs
        own = Util.uid(path) == Process.uid
        { failonfail: true, combine: true }.merge(own ? {} : { uid: path })
      end

      def set_selinux_default_context(*); end

      newfiletype(:flat) do
        def backup
          bucket.backup(path) if File.exist?(path)
        end

        def read
          File.read(path, encoding: Encoding.default_external) if File.exist?(path)
        end

        def remove
          File.unlink(path) if File.exist?(path)
        end

        # The file keeps its mode and owner.
        def write(text)
          is_new = !File.exist?(path)
          File.open(path, 'w', @default_mode || 0o600, encoding: Encoding.default_external) { |file| file.print(text) }
          File.chmod(@default_mode, path) if is_new && @default_mode
        end
      end

      newfiletype(:ram) do
        @texts = {}

        def self.texts
          @texts
        end

        def self.clear
          @texts.clear
        end

        def read
          self.class.texts[path] || ''
        end

        def remove
          self.class.texts[path] = ''
        end

        def write(text)
          self.class.texts[path] = text
        end
      end

      newfiletype(:crontab) do
        def read
          return '' if nobody?

          Execution.execute("#{command} -l", failonfail: true, combine: true)
        rescue Puppet::Error => e
          return '' if e.message.include?('no crontab for')

          if e.message.include?('are not allowed to')
            Puppet.debug("The #{path} user is not authorized to use cron. Their crontab file is treated as empty " \
                         'in case Puppet authorizes them in the middle of the run (by, for example, modifying the ' \
                         'cron.deny or cron.allow files).')
            return ''
          end
          raise FileReadError, "Could not read crontab for #{path}: #{e}", e.backtrace
        end

        def remove
          Execution.execute("#{command} -r", failonfail: true, combine: true)
        end

        def write(text)
          raise Puppet::Error, "Cannot write the #{path} user's crontab: The user does not exist" if nobody?

          IO.popen("#{command} -", 'w', encoding: Encoding.default_external) { |pipe| pipe.print(text) }
        end

        private

        def nobody?
          return false if Util.uid(path)

          Puppet.debug("The #{path} user does not exist. Treating their crontab file as empty in case Puppet creates " \
                       'them in the middle of the run.')
          true
        end

        def command
          Util.uid(path) == Process.uid ? 'crontab' : "crontab -u #{path}"
        end
      end

      # The crontabs of systems whose `crontab` takes no user.
      { suntab: [/can't open your crontab/, /you are not authorized to use cron/],
        aixtab: [/open.*in.*directory/, /not.*authorized.*cron/] }.each do |kind, empty|
        newfiletype(kind) do
          define_method(:read) do
            return '' unless Util.uid(path)

            Execution.execute(%w[crontab -l], cronargs)
          rescue Puppet::Error => e
            return '' if empty.any? { |pattern| e.message.match?(pattern) }

            raise FileReadError, "Could not read crontab for #{path}: #{e}", e.backtrace
          end

          define_method(:remove) { Execution.execute(%w[crontab -r], cronargs) }

          define_method(:write) do |text|
            Tempfile.create('puppet_crontab') do |file|
              file.print(text)
              file.close
              File.chown(Util.uid(path), nil, file.path)
              Execution.execute(['crontab', file.path], cronargs)
            end
          end
        end
      end
    end
  end
end

module Ordain
  # The copies of files that providers make before they change them, in the layout of Puppet's file bucket.
  module Bucket
    class << self
      def backup(path)
        directory = root or return nil
        text = File.binread(path)
        sum = Digest::SHA256.hexdigest(text)
        place = File.join(directory, *sum[0, 8].chars, sum)
        FileUtils.mkdir_p(place)
        contents = File.join(place, 'contents')
        File.open(contents, 'wb', 0o440) { |file| file.write(text) } unless File.exist?(contents)
        note(File.join(place, 'paths'), path)
        sum
      end

      private

      def root
        Puppet[:clientbucketdir] || (Puppet[:vardir] && File.join(Puppet[:vardir], 'clientbucket'))
      end

      def note(file, path)
        known = File.exist?(file) ? File.readlines(file, chomp: true) : []
        File.open(file, 'a', 0o640) { |list| list.puts(path) } unless known.include?(path)
      end
    end
  end
end
