# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    # Spares work that rspec-puppet repeats before each example, though its result is that of the example
    # before.
    module Setup
      # The contents of metadata.json by path, with the state of the file.
      @metadata = {}
      @module_names = {}

      class << self
        attr_reader :metadata

        # The names of modules by manifest, with the state of the file.
        attr_reader :module_names

        # Whether loaders are made when they are needed.
        attr_accessor :defers_loaders

        def install
          ::RSpec::Puppet::Support.prepend(LoadPath)
          ::Puppet::Module.prepend(Metadata)
          ::RSpec::Puppet::Setup.singleton_class.prepend(ModuleName)
          ::Puppet::Util::Autoload.singleton_class.prepend(Autoload)
          ::Object.prepend(Features::Require)
          return unless defined?(::RSpec::Puppet::Adapters::Adapter40)

          ::RSpec::Puppet::Adapters::Adapter40.prepend(Adapter)
          ::Puppet::Pops::Loaders.singleton_class.prepend(Loaders)
        end
      end

      # rspec-puppet adds the directories of all modules to the load path for each example. Each
      # `require` searches all entries.
      module LoadPath
        def setup_puppet
          known = $LOAD_PATH.size
          super.tap do
            added = $LOAD_PATH[known..] || []
            next if added.empty?

            $LOAD_PATH.slice!(known..)
            new = added.uniq - $LOAD_PATH
            $LOAD_PATH.concat(new) unless new.empty?
          end
        end
      end

      # Puppet reads the metadata of all modules for each environment, and each example has its own.
      module Metadata
        def read_metadata
          path = metadata_file
          stat = path && File.stat(path)
          key = stat && [stat.mtime, stat.size, ::Puppet[:strict]]
          known = Setup.metadata[path]
          return Marshal.load(known[1]) if known && known[0] == key

          super.tap { |data| Setup.metadata[path] = [key, Marshal.dump(data)] if key }
        rescue Errno::ENOENT
          super
        end
      end

      # rspec-puppet reads a manifest with Puppet's lexer for each example group, to find the name of the
      # module.
      module ModuleName
        def get_module_name_from_file(file)
          stat = File.stat(file)
          key = [stat.mtime, stat.size]
          path = File.expand_path(file)
          known = Setup.module_names[path]
          return known[1] if known && known[0] == key

          super.tap { |name| Setup.module_names[path] = [key, name] }
        end
      end

      # Puppet's autoloader adds each provider that it loads to the list of loaded files. After a change of
      # that list, the next `require` resolves the links in the paths of all files in it. So the providers
      # of a type are added together.
      module Autoload
        def loadall(path, environment)
          Features.collect { super }
        end

        def mark_loaded(name, file)
          return super unless Features.collects?

          file = File.expand_path(file)
          Features.add(file)
          loaded[cleanpath(name).chomp('.rb')] = [file, File.mtime(file)]
        end
      end

      # Files that are loaded and not yet in Ruby's list.
      module Features
        @files = []
        @depth = 0

        class << self
          def collects?
            @depth.positive?
          end

          def collect
            @depth += 1
            yield
          ensure
            @depth -= 1
            flush if @depth.zero?
          end

          def add(file)
            @files << file
          end

          def flush
            new = @files.uniq - $LOADED_FEATURES
            @files.clear
            $LOADED_FEATURES.concat(new) unless new.empty?
          end

          # Puts the files into the list before one of them is required.
          def before_require(path)
            return if @files.empty?

            name = "/#{File.basename(path.to_s, '.rb')}.rb"
            flush if @files.any? { |file| file.end_with?(name) }
          end
        end

        # `require` of any code.
        module Require
          private def require(path)
            Features.before_require(path)
            super
          end
        end
      end

      # Puppet makes the loaders of an environment when it looks them up, if they are a block.
      module Adapter
        def setup_puppet(*)
          Setup.defers_loaders = true
          super
        ensure
          Setup.defers_loaders = false
        end
      end

      # Makes loaders later.
      module Loaders
        def new(*args, **options)
          return super unless Setup.defers_loaders

          Setup.defers_loaders = false
          -> { new(*args, **options) }
        end
      end
    end
  end
end
