# frozen_string_literal: true

module Ordain
  module RSpecPuppet
    # Remembers the results of searches through all directories of libraries.
    module Searches
      def self.install
        ::Puppet::Util::Autoload.singleton_class.prepend(TypeFiles)
        ::Puppet::Util::Feature.prepend(Libraries)
        ::Puppet::Confine.singleton_class.prepend(Confines)
      end

      # Puppet looks for a file of a type whenever it sees the name of a define without a namespace.
      module TypeFiles
        PREFIX = 'puppet/type/'

        def get_file(name, env)
          return super unless name.start_with?(PREFIX)

          ordain_check_directories(env)
          @ordain_files.fetch(name) { @ordain_files[name] = super }
        end

        private

        # Forgets the results when the directories are others than before, or have other files. They are
        # looked at once for each environment, which is once for each example.
        def ordain_check_directories(env)
          paths = $LOAD_PATH.hash
          return if @ordain_environment.equal?(env) && @ordain_load_path == paths

          @ordain_environment = env
          @ordain_load_path = paths
          state = search_directories(env).uniq.map do |directory|
            types = File.join(directory.to_s, PREFIX)
            [types, File.exist?(types) ? File.mtime(types) : nil]
          end
          @ordain_files = {} unless @ordain_state == state
          @ordain_state = state
        end
      end

      # Puppet tries to load a kind of confine for each fact that a provider is confined to.
      module Confines
        def test(name)
          @ordain_missing ||= {}
          return super if @tests.include?(name)

          paths = $LOAD_PATH.hash
          return nil if @ordain_missing[name] == paths

          super.tap { |found| @ordain_missing[name] = paths if found.nil? }
        end
      end

      # Puppet tries to load a library that is not installed again for each resource of some types.
      module Libraries
        private

        def load_library(library, name)
          @ordain_missing ||= {}
          paths = $LOAD_PATH.hash
          return false if @ordain_missing[library] == paths

          super.tap { |found| @ordain_missing[library] = paths unless found }
        end
      end
    end
  end
end
