# Facts by their older flat names, which providers still ask for, from the structured facts.
module Facter
  module Legacy
    PATHS = {
      'architecture' => 'os.architecture', 'bios_vendor' => 'dmi.bios.vendor', 'bios_version' => 'dmi.bios.version',
      'boardmanufacturer' => 'dmi.board.manufacturer', 'boardproductname' => 'dmi.board.product', 'domain' => 'networking.domain',
      'fqdn' => 'networking.fqdn', 'gid' => 'identity.group', 'hardwareisa' => 'processors.isa',
      'hardwaremodel' => 'os.hardware', 'hostname' => 'networking.hostname', 'id' => 'identity.user',
      'ipaddress' => 'networking.ip', 'ipaddress6' => 'networking.ip6', 'lsbdistcodename' => 'os.distro.codename',
      'lsbdistdescription' => 'os.distro.description', 'lsbdistid' => 'os.distro.id',
      'lsbdistrelease' => 'os.distro.release.full', 'lsbmajdistrelease' => 'os.distro.release.major',
      'lsbminordistrelease' => 'os.distro.release.minor', 'macaddress' => 'networking.mac', 'manufacturer' => 'dmi.manufacturer',
      'memoryfree' => 'memory.system.available', 'memorysize' => 'memory.system.total', 'netmask' => 'networking.netmask',
      'netmask6' => 'networking.netmask6', 'network' => 'networking.network', 'network6' => 'networking.network6', 'scope6' => 'networking.scope6',
      'operatingsystem' => 'os.name',
      'operatingsystemmajrelease' => 'os.release.major', 'operatingsystemrelease' => 'os.release.full', 'osfamily' => 'os.family',
      'physicalprocessorcount' => 'processors.physicalcount', 'processorcount' => 'processors.count',
      'productname' => 'dmi.product.name', 'selinux' => 'os.selinux.enabled', 'selinux_config_mode' => 'os.selinux.config_mode',
      'selinux_config_policy' => 'os.selinux.config_policy', 'selinux_current_mode' => 'os.selinux.current_mode',
      'selinux_enforced' => 'os.selinux.enforced', 'selinux_policyversion' => 'os.selinux.policy_version',
      'serialnumber' => 'dmi.product.serial_number', 'sshdsakey' => 'ssh.dsa.key', 'sshecdsakey' => 'ssh.ecdsa.key',
      'sshed25519key' => 'ssh.ed25519.key', 'sshrsakey' => 'ssh.rsa.key', 'swapfree' => 'memory.swap.available',
      'swapsize' => 'memory.swap.total', 'uptime' => 'system_uptime.uptime', 'uptime_days' => 'system_uptime.days',
      'uptime_hours' => 'system_uptime.hours', 'uptime_seconds' => 'system_uptime.seconds', 'uuid' => 'dmi.product.uuid',
      'rubyversion' => 'ruby.version', 'rubyplatform' => 'ruby.platform', 'rubysitedir' => 'ruby.sitedir'
    }.freeze
    INTERFACE = /\A(ipaddress6?|macaddress|mtu|netmask6?|network6?|scope6)_(.+)\z/.freeze
    FIELDS = { 'ipaddress' => 'ip', 'ipaddress6' => 'ip6', 'macaddress' => 'mac' }.freeze

    MEGABYTES = {
      'memoryfree_mb' => 'memory.system.available_bytes', 'memorysize_mb' => 'memory.system.total_bytes',
      'swapfree_mb' => 'memory.swap.available_bytes', 'swapsize_mb' => 'memory.swap.total_bytes'
    }.freeze

    class << self
      # The value of an older name; nil if there is none.
      def value(name, facts)
        return at(facts, PATHS[name].split('.')) if PATHS.key?(name)
        return at(facts, MEGABYTES[name].split('.'))&.fdiv(1 << 20) if MEGABYTES.key?(name)
        return at(facts, %w[processors models])&.at(name[/\d+/].to_i) if name.match?(/\Aprocessor\d+\z/)
        return facts.dig('networking', 'interfaces')&.keys&.join(',') if name == 'interfaces'

        kind, interface = INTERFACE.match(name)&.captures
        found = kind && facts.dig('networking', 'interfaces')
        found&.find { |own, _| own.tr('.:-', '_') == interface }&.last&.fetch(FIELDS.fetch(kind, kind), nil)
      end

      private

      def at(facts, path)
        path.reduce(facts) { |inner, part| inner.is_a?(Hash) ? inner[part] : nil }
      end
    end
  end

  class << self
    alias structured_value core_value
    private :structured_value

    def core_value(name)
      found = structured_value(name)
      found.nil? ? Legacy.value(name.to_s, facts) : found
    end
  end
end
