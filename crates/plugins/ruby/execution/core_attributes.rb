# Attributes of Puppet's own types that the types of modules derive theirs from.
module Puppet
  class SELFileContext < Property
    include Util::SELinux

    def retrieve
      return :absent unless File.exist?(resource[:path])

      retrieve_default_context_of(get_selinux_current_context(resource[:path])) || :absent
    end

    def retrieve_default_context(property)
      parse_selinux_context(name, get_selinux_default_context(resource[:path])) if property
    end

    def insync?(value)
      selinux_support? ? super : true
    end

    def sync
      set_selinux_context(resource[:path], should, name)
      :file_changed
    end

    private

    def retrieve_default_context_of(context)
      parse_selinux_context(name, context)
    end
  end

  # The attributes of files that others derive from.
  class Type
    class File
      class ParameterSource < Parameter
        validate do |sources|
          [sources].flatten.each do |source|
            next if source.to_s.start_with?('/')

            uri = URI.parse(source.to_s.gsub(' ', '%20'))
            fail "Cannot use relative URLs '#{source}'" unless uri.absolute?
            fail "Cannot use opaque URLs '#{source}'" unless uri.hierarchical?
            unless %w[file puppet http https].include?(uri.scheme)
              fail "Cannot use URLs of type '#{uri.scheme}' as source for fileserving"
            end
          rescue URI::InvalidURIError => e
            fail "Could not understand source #{source}: #{e}"
          end
        end
        munge { |sources| [sources].flatten.map { |source| source.to_s.chomp('/') } }
      end

      # Owners and groups by name or number.
      class Owner
        def retrieve
          ::File.stat(resource[:path]).uid
        rescue Errno::ENOENT
          :absent
        end

        def insync?(current)
          @should.map { |one| Util.uid(one) || one }.include?(current)
        end

        def sync
          ::File.chown(Util.uid(should), nil, resource[:path])
        end
      end

      class Group
        def retrieve
          ::File.stat(resource[:path]).gid
        rescue Errno::ENOENT
          :absent
        end

        def insync?(current)
          @should.map { |one| Util.gid(one) || one }.include?(current)
        end

        def sync
          ::File.chown(nil, Util.gid(should), resource[:path])
        end
      end

      class Mode
        def retrieve
          format('%o', ::File.stat(resource[:path]).mode & 0o7777)
        rescue Errno::ENOENT
          :absent
        end

        def insync?(current)
          current != :absent && current.to_i(8) == wanted(current)
        end

        def sync
          ::File.chmod(wanted(retrieve), resource[:path])
        end

        private

        def wanted(current)
          Object.new.extend(Util::SymbolicFileMode).symbolic_mode_to_int(should.to_s, current.to_s.to_i(8))
        end
      end
    end
  end
end
