//! The flat legacy facts, and their structured replacements.

/// Legacy names with the paths of the facts that replace them.
const FACTS: &[(&str, &str)] = &[
    ("architecture", "os.architecture"),
    ("augeasversion", "augeas.version"),
    ("bios_release_date", "dmi.bios.release_date"),
    ("bios_vendor", "dmi.bios.vendor"),
    ("bios_version", "dmi.bios.version"),
    ("blockdevices", "disks"),
    ("boardassettag", "dmi.board.asset_tag"),
    ("boardmanufacturer", "dmi.board.manufacturer"),
    ("boardproductname", "dmi.board.product"),
    ("boardserialnumber", "dmi.board.serial_number"),
    ("chassisassettag", "dmi.chassis.asset_tag"),
    ("chassistype", "dmi.chassis.type"),
    ("dhcp_servers", "networking.dhcp"),
    ("domain", "networking.domain"),
    ("fqdn", "networking.fqdn"),
    ("gid", "identity.group"),
    ("hardwareisa", "processors.isa"),
    ("hardwaremodel", "os.hardware"),
    ("hostname", "networking.hostname"),
    ("id", "identity.user"),
    ("interfaces", "networking.interfaces"),
    ("ipaddress", "networking.ip"),
    ("ipaddress6", "networking.ip6"),
    ("lsbdistcodename", "os.distro.codename"),
    ("lsbdistdescription", "os.distro.description"),
    ("lsbdistid", "os.distro.id"),
    ("lsbdistrelease", "os.distro.release.full"),
    ("lsbmajdistrelease", "os.distro.release.major"),
    ("lsbminordistrelease", "os.distro.release.minor"),
    ("lsbrelease", "os.distro.specification"),
    ("macaddress", "networking.mac"),
    ("macosx_buildversion", "os.macosx.build"),
    ("macosx_productname", "os.macosx.product"),
    ("macosx_productversion", "os.macosx.version.full"),
    ("macosx_productversion_major", "os.macosx.version.major"),
    ("macosx_productversion_minor", "os.macosx.version.minor"),
    ("manufacturer", "dmi.manufacturer"),
    ("memoryfree", "memory.system.available"),
    ("memoryfree_mb", "memory.system.available_bytes"),
    ("memorysize", "memory.system.total"),
    ("memorysize_mb", "memory.system.total_bytes"),
    ("netmask", "networking.netmask"),
    ("netmask6", "networking.netmask6"),
    ("network", "networking.network"),
    ("network6", "networking.network6"),
    ("operatingsystem", "os.name"),
    ("operatingsystemmajrelease", "os.release.major"),
    ("operatingsystemrelease", "os.release.full"),
    ("osfamily", "os.family"),
    ("physicalprocessorcount", "processors.physicalcount"),
    ("processorcount", "processors.count"),
    ("productname", "dmi.product.name"),
    ("rubyplatform", "ruby.platform"),
    ("rubysitedir", "ruby.sitedir"),
    ("rubyversion", "ruby.version"),
    ("selinux", "os.selinux.enabled"),
    ("selinux_config_mode", "os.selinux.config_mode"),
    ("selinux_config_policy", "os.selinux.config_policy"),
    ("selinux_current_mode", "os.selinux.current_mode"),
    ("selinux_enforced", "os.selinux.enforced"),
    ("selinux_policyversion", "os.selinux.policy_version"),
    ("serialnumber", "dmi.product.serial_number"),
    ("sshdsakey", "ssh.dsa.key"),
    ("sshecdsakey", "ssh.ecdsa.key"),
    ("sshed25519key", "ssh.ed25519.key"),
    ("sshfp_dsa", "ssh.dsa.fingerprints"),
    ("sshfp_ecdsa", "ssh.ecdsa.fingerprints"),
    ("sshfp_ed25519", "ssh.ed25519.fingerprints"),
    ("sshfp_rsa", "ssh.rsa.fingerprints"),
    ("sshrsakey", "ssh.rsa.key"),
    ("swapfree", "memory.swap.available"),
    ("swapfree_mb", "memory.swap.available_bytes"),
    ("swapsize", "memory.swap.total"),
    ("swapsize_mb", "memory.swap.total_bytes"),
    ("system32", "os.windows.system32"),
    ("uptime", "system_uptime.uptime"),
    ("uptime_days", "system_uptime.days"),
    ("uptime_hours", "system_uptime.hours"),
    ("uptime_seconds", "system_uptime.seconds"),
    ("uuid", "dmi.product.uuid"),
    ("windows_product_id", "os.windows.product_id"),
    ("xendomains", "xen.domains"),
    ("zonename", "solaris_zones.current"),
];

/// Prefixes of legacy facts of an interface, with the keys of the interface that replace them.
const OF_INTERFACES: &[(&str, &str)] = &[
    ("ipaddress6_", "ip6"),
    ("ipaddress_", "ip"),
    ("macaddress_", "mac"),
    ("mtu_", "mtu"),
    ("netmask6_", "netmask6"),
    ("netmask_", "netmask"),
    ("network6_", "network6"),
    ("network_", "network"),
];

/// The expression that replaces a legacy fact, such as `$facts['os']['family']`.
pub fn replacement(name: &str) -> Option<String> {
    if let Ok(i) = FACTS.binary_search_by_key(&name, |(old, _)| old) {
        return Some(written(FACTS[i].1.split('.')));
    }
    if let Some(number) = name.strip_prefix("processor").and_then(|n| n.parse::<u16>().ok()) {
        return Some(format!("$facts['processors']['models'][{number}]"));
    }
    let (prefix, key) = OF_INTERFACES.iter().find(|(prefix, _)| name.starts_with(prefix))?;
    let interface = &name[prefix.len()..];
    (!interface.is_empty()).then(|| written(["networking", "interfaces", interface, key]))
}

/// The expression for a fact.
fn written<'a>(path: impl IntoIterator<Item = &'a str>) -> String {
    let keys = path.into_iter().map(|key| format!("['{key}']"));
    format!("$facts{}", keys.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_found() {
        assert!(FACTS.windows(2).all(|w| w[0].0 < w[1].0));
        assert_eq!(replacement("osfamily").as_deref(), Some("$facts['os']['family']"));
        let found = replacement("ipaddress_eth0");
        assert_eq!(found.as_deref(), Some("$facts['networking']['interfaces']['eth0']['ip']"));
        assert_eq!(replacement("kernel"), None);
    }
}
