# Files as providers work with them.
module Puppet
  module FileSystem
    class << self
      def open(path, mode = nil, options = 'r', &block)
        options = { mode: options } unless options.is_a?(Hash)
        File.open(path.to_s, options.delete(:mode), *[mode].compact, **options, &block)
      end

      def dir(path)
        Pathname.new(path.to_s).dirname
      end

      def dir_string(path)
        File.dirname(path.to_s)
      end

      def dir_exist?(path)
        File.directory?(File.dirname(path.to_s))
      end

      def dir_mkpath(path)
        mkpath(File.dirname(path.to_s))
      end

      def basename(path)
        Pathname.new(path.to_s).basename
      end

      def basename_string(path)
        File.basename(path.to_s)
      end

      def exclusive_open(path, mode, options = 'r', _timeout = 300)
        open(path, mode, options) do |file|
          file.flock(File::LOCK_EX)
          yield file
        end
      end

      def exclusive_create(path, mode, &block)
        File.open(path.to_s, File::CREAT | File::EXCL | File::WRONLY, mode, &block)
      end

      def each_line(path, &block)
        File.foreach(path.to_s, &block)
      end

      def read(path, options = {})
        File.read(path.to_s, **options)
      end

      def read_preserve_line_endings(path)
        File.read(path.to_s, encoding: 'UTF-8').delete_prefix("\uFEFF")
      end

      %i[binread exist? directory? file? executable? writable? symlink? readlink stat size lstat].each do |name|
        define_method(name) { |path| File.public_send(name, path.to_s) }
      end

      def touch(path, mtime: nil)
        FileUtils.touch(path.to_s, mtime: mtime)
      end

      def mkpath(path)
        FileUtils.mkdir_p(path.to_s)
      end

      def children(path)
        Pathname.new(path.to_s).children
      end

      def symlink(path, link, options = {})
        FileUtils.ln_s(path.to_s, link.to_s, **options)
      end

      def unlink(*paths)
        File.unlink(*paths.map(&:to_s))
      end

      def compare_stream(path, stream)
        open(path, nil, 'rb') { |file| FileUtils.compare_stream(file, stream) }
      end

      def pathname(path)
        Pathname.new(path.to_s)
      end

      def expand_path(path, dir = nil)
        File.expand_path(path.to_s, dir)
      end

      def path_string(path)
        path.to_s
      end

      def assert_path(path)
        path
      end

      def chmod(mode, path)
        FileUtils.chmod(mode, path.to_s)
      end

      # Writes a new file beside the old one and puts it in its place.
      def replace_file(path, mode = nil)
        path = path.to_s
        raise Puppet::DevError, 'replace_file requires a block' unless block_given?

        before = File.stat(path) if File.exist?(path)
        raise ArgumentError, "#{path} is a directory" if before&.directory?

        new = Tempfile.create(File.basename(path), File.dirname(path))
        new.chmod(mode || before&.mode&.&(0o7777) || 0o640)
        new.chown(before.uid, before.gid) if before && Process.uid.zero?
        yield new
        new.flush
        new.fsync
        new.close
        File.rename(new.path, path)
      rescue StandardError
        File.unlink(new.path) if new && File.exist?(new.path)
        raise
      end
    end

    # A temporary file of a name that nobody else has.
    class Uniquefile
      def self.open_tmp(name)
        file = Tempfile.new(name)
        yield file
      ensure
        file&.close!
      end

      def self.new(*args)
        Tempfile.new(*args)
      end
    end
  end
end
