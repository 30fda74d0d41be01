# Placeholders for the parts of Puppet that providers use when they act. A compile only loads the definitions
# of providers; none acts in its process.
module Puppet
  module Util
    def self.const_missing(name)
      return super unless Ordain::Types.loading?

      const_set(name, name == :FileType ? FileTypes : Class.new(Absent))
    end

    # A placeholder for a missing class and its content.
    class Absent
      class << self
        def method_missing(*)
          nil
        end

        def respond_to_missing?(*)
          false
        end

        def const_missing(name)
          const_set(name, Class.new(Absent))
        end
      end
    end

    # Kinds of files, which modules add to by a method of the class.
    class FileTypes < Absent
      def self.newfiletype(name, *)
        (@filetypes ||= {})[name] = true
      end
    end
  end

  class Provider
    class << self
      # Base classes of Puppet say more than is needed here.
      def method_missing(*)
        nil
      end

      def respond_to_missing?(*)
        false
      end
    end

    # Base classes for providers of modules.
    class ParsedFile < Provider
      class << self
        attr_accessor :default_target, :filetype
      end
    end
    class Package < Provider; end
    class NameService < Provider; end
    class Exec < Provider; end
    class Command; end
  end
end
