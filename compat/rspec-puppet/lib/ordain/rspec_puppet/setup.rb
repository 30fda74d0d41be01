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

      # Puppet's autoloader adds each file that it loads to Ruby's list of loaded files. After a change of that
      # list, the next `require` resolves the links in the paths of all files in it. So these files are added
      # when something requires one of them.
      module Autoload
        def mark_loaded(name, file)
          file = File.expand_path(file)
          Features.add(file)
          loaded[cleanpath(name).chomp('.rb')] = [file, File.mtime(file)]
        end
      end

      # Files that are loaded and not yet in Ruby's list, by name.
      module Features
        @files = Hash.new { |all, name| all[name] = [] }

        class << self
          def add(file)
            @files[File.basename(file, '.rb')] << file
          end

          # Puts the files of that name into the list before one of them is required.
          def before_require(path)
            files = @files.delete(File.basename(path.to_s, '.rb'))
            $LOADED_FEATURES.concat(files.uniq - $LOADED_FEATURES) if files
          end
        end

        # `require` of any code.
        module Require
          # Libraries that Puppet requires again in each example. No spec unloads them.
          AGAIN = %w[facter digest digest/md5 digest/sha2].freeze

          @loaded = {}

          class << self
            attr_reader :loaded
          end

          private def require(path)
            return false if Require.loaded.key?(path)

            Features.before_require(path)
            super.tap { Require.loaded[path] = true if AGAIN.include?(path) }
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
