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
end
