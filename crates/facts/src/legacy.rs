//! The legacy flat facts, derived from the structured ones.

use ordain_data::{Map, Value};

/// The legacy name and the path of the fact that replaced it.
const NAMES: [(&str, &[&str]); 70] = [
    ("architecture", &["os", "architecture"]),
    ("bios_release_date", &["dmi", "bios", "release_date"]),
    ("bios_vendor", &["dmi", "bios", "vendor"]),
    ("bios_version", &["dmi", "bios", "version"]),
    ("boardassettag", &["dmi", "board", "asset_tag"]),
    ("boardmanufacturer", &["dmi", "board", "manufacturer"]),
    ("boardproductname", &["dmi", "board", "product"]),
    ("boardserialnumber", &["dmi", "board", "serial_number"]),
    ("chassisassettag", &["dmi", "chassis", "asset_tag"]),
    ("chassistype", &["dmi", "chassis", "type"]),
    ("domain", &["networking", "domain"]),
    ("fqdn", &["networking", "fqdn"]),
    ("gid", &["identity", "group"]),
    ("hardwareisa", &["processors", "isa"]),
    ("hardwaremodel", &["os", "hardware"]),
    ("hostname", &["networking", "hostname"]),
    ("id", &["identity", "user"]),
    ("ipaddress", &["networking", "ip"]),
    ("ipaddress6", &["networking", "ip6"]),
    ("lsbdistcodename", &["os", "distro", "codename"]),
    ("lsbdistdescription", &["os", "distro", "description"]),
    ("lsbdistid", &["os", "distro", "id"]),
    ("lsbdistrelease", &["os", "distro", "release", "full"]),
    ("lsbmajdistrelease", &["os", "distro", "release", "major"]),
    ("lsbminordistrelease", &["os", "distro", "release", "minor"]),
    ("macaddress", &["networking", "mac"]),
    ("manufacturer", &["dmi", "manufacturer"]),
    ("memoryfree", &["memory", "system", "available"]),
    ("memorysize", &["memory", "system", "total"]),
    ("netmask", &["networking", "netmask"]),
    ("netmask6", &["networking", "netmask6"]),
    ("network", &["networking", "network"]),
    ("network6", &["networking", "network6"]),
    ("operatingsystem", &["os", "name"]),
    ("operatingsystemmajrelease", &["os", "release", "major"]),
    ("operatingsystemrelease", &["os", "release", "full"]),
    ("osfamily", &["os", "family"]),
    ("physicalprocessorcount", &["processors", "physicalcount"]),
    ("processorcount", &["processors", "count"]),
    ("productname", &["dmi", "product", "name"]),
    ("scope6", &["networking", "scope6"]),
    ("selinux", &["os", "selinux", "enabled"]),
    ("selinux_config_mode", &["os", "selinux", "config_mode"]),
    ("selinux_config_policy", &["os", "selinux", "config_policy"]),
    ("selinux_current_mode", &["os", "selinux", "current_mode"]),
    ("selinux_enforced", &["os", "selinux", "enforced"]),
    ("selinux_policyversion", &["os", "selinux", "policy_version"]),
    ("serialnumber", &["dmi", "product", "serial_number"]),
    ("sshdsakey", &["ssh", "dsa", "key"]),
    ("sshecdsakey", &["ssh", "ecdsa", "key"]),
    ("sshed25519key", &["ssh", "ed25519", "key"]),
    ("sshrsakey", &["ssh", "rsa", "key"]),
    ("swapfree", &["memory", "swap", "available"]),
    ("swapsize", &["memory", "swap", "total"]),
    ("uptime", &["system_uptime", "uptime"]),
    ("uptime_days", &["system_uptime", "days"]),
    ("uptime_hours", &["system_uptime", "hours"]),
    ("uptime_seconds", &["system_uptime", "seconds"]),
    ("uuid", &["dmi", "product", "uuid"]),
    ("xendomains", &["xen", "domains"]),
    ("memoryfree_mb", &["memory", "system", "available_bytes"]),
    ("memorysize_mb", &["memory", "system", "total_bytes"]),
    ("swapfree_mb", &["memory", "swap", "available_bytes"]),
    ("swapsize_mb", &["memory", "swap", "total_bytes"]),
    ("dhcp_servers", &["networking", "dhcp"]),
    ("sshfp_dsa", &["ssh", "dsa", "fingerprints"]),
    ("sshfp_ecdsa", &["ssh", "ecdsa", "fingerprints"]),
    ("sshfp_ed25519", &["ssh", "ed25519", "fingerprints"]),
    ("sshfp_rsa", &["ssh", "rsa", "fingerprints"]),
    ("rubyversion", &["ruby", "version"]),
];

/// The prefix of the legacy name, and the field of the interface.
const OF_INTERFACES: [(&str, &str); 9] = [
    ("ipaddress", "ip"),
    ("ipaddress6", "ip6"),
    ("macaddress", "mac"),
    ("mtu", "mtu"),
    ("netmask", "netmask"),
    ("netmask6", "netmask6"),
    ("network", "network"),
    ("network6", "network6"),
    ("scope6", "scope6"),
];

pub(crate) fn add(facts: &mut Map) {
    let all = Value::Map(facts.clone().into());
    for (name, path) in NAMES {
        if let Some(value) = all.dig(path.iter().copied()) {
            facts.insert(name.into(), convert(name, value, &all));
        }
    }
    interfaces(facts, &all);
    disks(facts, &all);
    let models = all.dig(["processors", "models"]).and_then(Value::as_list).unwrap_or_default();
    for (i, model) in models.iter().enumerate() {
        facts.insert(format!("processor{i}").into(), model.clone());
    }
}

fn convert(name: &str, value: &Value, all: &Value) -> Value {
    if name.ends_with("_mb") {
        return Value::Float(value.as_int().unwrap_or(0) as f64 / (1024.0 * 1024.0));
    }
    if name.starts_with("sshfp_") {
        let line = |kind: &str| value.get(kind).and_then(Value::as_str).unwrap_or_default();
        return format!("{}\n{}", line("sha1"), line("sha256")).into();
    }
    if name == "dhcp_servers" {
        return dhcp_servers(value, all);
    }
    value.clone()
}

/// The servers by interface, and the one of the primary interface under `system`.
fn dhcp_servers(main: &Value, all: &Value) -> Value {
    let interfaces = all.dig(["networking", "interfaces"]).and_then(Value::as_map);
    let mut servers = Map::default();
    servers.insert("system".into(), main.clone());
    for (name, interface) in interfaces.into_iter().flatten() {
        if let Some(server) = interface.get("dhcp") {
            servers.insert(name.clone(), server.clone());
        }
    }
    Value::Map(servers.into())
}

fn interfaces(facts: &mut Map, all: &Value) {
    let Some(interfaces) = all.dig(["networking", "interfaces"]).and_then(Value::as_map) else {
        return;
    };
    let plain = |name: &Value| -> String {
        let name = name.as_str().unwrap_or_default();
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
    };
    let names: Vec<String> = interfaces.keys().map(plain).collect();
    facts.insert("interfaces".into(), names.join(",").into());
    for (name, interface) in interfaces {
        for (old, key) in OF_INTERFACES {
            if let Some(value) = interface.get(key) {
                facts.insert(format!("{old}_{}", plain(name)).into(), value.clone());
            }
        }
    }
}

fn disks(facts: &mut Map, all: &Value) {
    let Some(disks) = all.get("disks").and_then(Value::as_map) else { return };
    let names: Vec<&str> = disks.keys().filter_map(Value::as_str).collect();
    facts.insert("blockdevices".into(), names.join(",").into());
    for (name, disk) in disks {
        let name = name.as_str().unwrap_or_default();
        for (old, key) in [("model", "model"), ("size", "size_bytes"), ("vendor", "vendor")] {
            if let Some(value) = disk.get(key) {
                facts.insert(format!("blockdevice_{name}_{old}").into(), value.clone());
            }
        }
    }
}
