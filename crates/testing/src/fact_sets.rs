//! Facts of machines with usual operating systems, so that a test need not have any.

use ordain_data::Value;
use serde_json::json;

/// An operating system.
struct System {
    /// The name of the fact set.
    name: &'static str,
    os: &'static str,
    family: &'static str,
    /// The full release.
    release: &'static str,
    /// The name of the release, if it has one.
    codename: &'static str,
    kernel: &'static str,
    kernel_release: &'static str,
    package_provider: &'static str,
    service_provider: &'static str,
}

macro_rules! systems {
    ($($name:literal $os:literal $family:literal $release:literal $codename:literal $kernel:literal
        $kernel_release:literal $package:literal $service:literal;)*) => {
        &[$(System {
            name: $name,
            os: $os,
            family: $family,
            release: $release,
            codename: $codename,
            kernel: $kernel,
            kernel_release: $kernel_release,
            package_provider: $package,
            service_provider: $service,
        }),*]
    };
}

/// All systems by name.
const SYSTEMS: &[System] = systems! {
    "almalinux-8" "AlmaLinux" "RedHat" "8.10" "Cerulean Leopard" "Linux" "4.18.0-553.el8_10.x86_64" "dnf" "systemd";
    "almalinux-9" "AlmaLinux" "RedHat" "9.5" "Teal Serval" "Linux" "5.14.0-503.el9_5.x86_64" "dnf" "systemd";
    "alpine-3.20" "Alpine" "Linux" "3.20.3" "" "Linux" "6.6.54-0-lts" "apk" "openrc";
    "amazon-2" "Amazon" "RedHat" "2" "Karoo" "Linux" "4.14.355-275.570.amzn2.x86_64" "yum" "systemd";
    "amazon-2023" "Amazon" "RedHat" "2023" "" "Linux" "6.1.115-126.197.amzn2023.x86_64" "dnf" "systemd";
    "archlinux" "Archlinux" "Archlinux" "6.11.6-arch1-1" "" "Linux" "6.11.6-arch1-1" "pacman" "systemd";
    "centos-7" "CentOS" "RedHat" "7.9.2009" "Core" "Linux" "3.10.0-1160.el7.x86_64" "yum" "systemd";
    "centos-8" "CentOS" "RedHat" "8" "" "Linux" "4.18.0-553.el8.x86_64" "dnf" "systemd";
    "centos-9" "CentOS" "RedHat" "9" "" "Linux" "5.14.0-522.el9.x86_64" "dnf" "systemd";
    "debian-10" "Debian" "Debian" "10.13" "buster" "Linux" "4.19.0-27-amd64" "apt" "systemd";
    "debian-11" "Debian" "Debian" "11.11" "bullseye" "Linux" "5.10.0-33-amd64" "apt" "systemd";
    "debian-12" "Debian" "Debian" "12.7" "bookworm" "Linux" "6.1.0-26-amd64" "apt" "systemd";
    "debian-13" "Debian" "Debian" "13.0" "trixie" "Linux" "6.12.38-amd64" "apt" "systemd";
    "fedora-40" "Fedora" "RedHat" "40" "" "Linux" "6.11.6-200.fc40.x86_64" "dnf" "systemd";
    "fedora-41" "Fedora" "RedHat" "41" "" "Linux" "6.11.7-300.fc41.x86_64" "dnf" "systemd";
    "freebsd-13" "FreeBSD" "FreeBSD" "13.4-RELEASE" "" "FreeBSD" "13.4-RELEASE" "pkgng" "freebsd";
    "freebsd-14" "FreeBSD" "FreeBSD" "14.1-RELEASE" "" "FreeBSD" "14.1-RELEASE" "pkgng" "freebsd";
    "gentoo" "Gentoo" "Gentoo" "2.17" "" "Linux" "6.6.58-gentoo" "portage" "openrc";
    "macos-14" "Darwin" "Darwin" "23.6.0" "" "Darwin" "23.6.0" "pkgdmg" "launchd";
    "openbsd-7" "OpenBSD" "OpenBSD" "7.6" "" "OpenBSD" "7.6" "openbsd" "openbsd";
    "opensuse-15" "openSUSE" "Suse" "15.6" "" "Linux" "6.4.0-150600.23.25-default" "zypper" "systemd";
    "oracle-8" "OracleLinux" "RedHat" "8.10" "" "Linux" "5.15.0-302.167.6.el8uek.x86_64" "dnf" "systemd";
    "oracle-9" "OracleLinux" "RedHat" "9.5" "" "Linux" "5.15.0-302.167.6.el9uek.x86_64" "dnf" "systemd";
    "redhat-7" "RedHat" "RedHat" "7.9" "Maipo" "Linux" "3.10.0-1160.el7.x86_64" "yum" "systemd";
    "redhat-8" "RedHat" "RedHat" "8.10" "Ootpa" "Linux" "4.18.0-553.el8_10.x86_64" "dnf" "systemd";
    "redhat-9" "RedHat" "RedHat" "9.5" "Plow" "Linux" "5.14.0-503.el9_5.x86_64" "dnf" "systemd";
    "redhat-10" "RedHat" "RedHat" "10.0" "Coughlan" "Linux" "6.12.0-55.el10.x86_64" "dnf" "systemd";
    "rocky-8" "Rocky" "RedHat" "8.10" "Green Obsidian" "Linux" "4.18.0-553.el8_10.x86_64" "dnf" "systemd";
    "rocky-9" "Rocky" "RedHat" "9.5" "Blue Onyx" "Linux" "5.14.0-503.el9_5.x86_64" "dnf" "systemd";
    "sles-12" "SLES" "Suse" "12.5" "" "Linux" "4.12.14-122.225-default" "zypper" "systemd";
    "sles-15" "SLES" "Suse" "15.6" "" "Linux" "6.4.0-150600.23.25-default" "zypper" "systemd";
    "solaris-11" "Solaris" "Solaris" "11.4" "" "SunOS" "5.11" "pkg" "smf";
    "ubuntu-18.04" "Ubuntu" "Debian" "18.04" "bionic" "Linux" "4.15.0-213-generic" "apt" "systemd";
    "ubuntu-20.04" "Ubuntu" "Debian" "20.04" "focal" "Linux" "5.4.0-200-generic" "apt" "systemd";
    "ubuntu-22.04" "Ubuntu" "Debian" "22.04" "jammy" "Linux" "5.15.0-125-generic" "apt" "systemd";
    "ubuntu-24.04" "Ubuntu" "Debian" "24.04" "noble" "Linux" "6.8.0-48-generic" "apt" "systemd";
    "windows-2019" "windows" "windows" "2019" "" "windows" "10.0.17763" "windows" "windows";
    "windows-2022" "windows" "windows" "2022" "" "windows" "10.0.20348" "windows" "windows";
};

/// The names of all fact sets, sorted.
pub fn fact_sets() -> impl Iterator<Item = &'static str> {
    SYSTEMS.iter().map(|system| system.name)
}

/// The facts of a machine with a name and an operating system. `None` if there is no such fact set.
///
/// Structured facts only: those which manifests read, as Facter 4 gives them. Addresses are those
/// for documentation (RFC 5737 and RFC 3849).
pub fn fact_set(set: &str, node: &str) -> Option<Value> {
    let system = SYSTEMS.iter().find(|system| system.name == set)?;
    ordain_data::json::read(&facts(system, node).to_string()).ok()
}

fn facts(system: &System, node: &str) -> serde_json::Value {
    let (host, domain) = node.split_once('.').unwrap_or((node, "example.org"));
    let is_windows = system.kernel == "windows";
    let is_linux = system.kernel == "Linux";
    let interface = if is_linux { "eth0" } else { "en0" };
    let mut kernel_numbers = system.kernel_release.split(['.', '-']);
    let (first, second) = (kernel_numbers.next(), kernel_numbers.next());
    let major_kernel = format!("{}.{}", first.unwrap_or_default(), second.unwrap_or_default());
    let path = match is_windows {
        true => "C:\\Windows\\system32;C:\\Windows",
        false => "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    };
    let gib = 1_u64 << 30;
    let mut all = json!({
        "os": os(system),
        "kernel": system.kernel,
        "kernelrelease": system.kernel_release,
        "kernelversion": system.kernel_release.split('-').next(),
        "kernelmajversion": major_kernel,
        "networking": {
            "hostname": host,
            "domain": domain,
            "fqdn": format!("{host}.{domain}"),
            "ip": "192.0.2.10",
            "ip6": "2001:db8::10",
            "mac": "02:00:00:00:00:10",
            "mtu": 1500,
            "netmask": "255.255.255.0",
            "network": "192.0.2.0",
            "primary": interface,
            "interfaces": {
                interface: {
                    "ip": "192.0.2.10", "ip6": "2001:db8::10", "mac": "02:00:00:00:00:10",
                    "mtu": 1500, "netmask": "255.255.255.0", "network": "192.0.2.0",
                    "bindings": [{
                        "address": "192.0.2.10", "netmask": "255.255.255.0", "network": "192.0.2.0",
                    }],
                },
            },
        },
        "memory": {
            "system": {
                "total": "4.00 GiB", "total_bytes": 4 * gib, "available": "3.00 GiB",
                "available_bytes": 3 * gib, "used": "1.00 GiB", "used_bytes": gib,
                "capacity": "25.00%",
            },
        },
        "processors": {
            "count": 2, "physicalcount": 1, "cores": 2, "threads": 1, "isa": "x86_64",
            "models": ["Intel(R) Xeon(R) Processor", "Intel(R) Xeon(R) Processor"],
        },
        "virtual": "kvm",
        "is_virtual": true,
        "timezone": "UTC",
        "path": path,
        "system_uptime": {"days": 1, "hours": 24, "seconds": 86_400, "uptime": "1 day"},
        "facterversion": "4.10.0",
        "clientcert": node,
        "clientversion": "8.10.0",
        "clientnoop": false,
        "puppetversion": "8.10.0",
        "package_provider": system.package_provider,
        "service_provider": system.service_provider,
    });
    if !is_windows {
        all["identity"] = json!({
            "user": "root", "group": "root", "uid": 0, "gid": 0, "privileged": true,
        });
        all["root_home"] = json!("/root");
        all["ruby"] = json!({"version": "3.2.5", "platform": "x86_64-linux"});
        all["ssh"] = json!({});
    }
    all
}

fn os(system: &System) -> serde_json::Value {
    let is_windows = system.kernel == "windows";
    let mut numbers = system.release.split(['.', '-']);
    let first = numbers.next().unwrap_or_default();
    let second = numbers.next();
    // Two numbers make a major release of Ubuntu.
    let (major, minor) = match (system.os, second) {
        ("Ubuntu", _) => (system.release, None),
        (_, second) => (first, second),
    };
    let mut release = json!({"full": system.release, "major": major});
    if let Some(minor) = minor {
        release["minor"] = json!(minor);
    }
    let mut os = json!({
        "name": system.os,
        "family": system.family,
        "release": release,
        "architecture": match (system.family, is_windows) {
            (_, true) => "x64",
            ("Debian" | "Gentoo" | "FreeBSD" | "OpenBSD", _) => "amd64",
            _ => "x86_64",
        },
        "hardware": if system.kernel == "SunOS" { "i86pc" } else { "x86_64" },
    });
    if system.kernel == "Linux" {
        let mut distro = json!({
            "id": system.os, "description": format!("{} {}", system.os, system.release),
            "release": os["release"],
        });
        if !system.codename.is_empty() {
            distro["codename"] = json!(system.codename);
        }
        os["distro"] = distro;
        let is_red_hat = system.family == "RedHat";
        os["selinux"] = match is_red_hat {
            false => json!({"enabled": false}),
            true => json!({
                "enabled": true, "enforced": true, "current_mode": "enforcing",
                "config_mode": "enforcing", "config_policy": "targeted", "policy_version": "33",
            }),
        };
    }
    if system.kernel == "Darwin" {
        os["macosx"] = json!({
            "product": "macOS", "version": {"full": "14.6.1", "major": "14", "minor": "6"},
        });
    }
    if is_windows {
        os["windows"] = json!({
            "product_name": format!("Windows Server {}", system.release),
            "edition_id": "ServerStandard", "installation_type": "Server",
            "system32": "C:\\Windows\\system32",
        });
    }
    os
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_facts_complete() {
        let names: Vec<&str> = fact_sets().collect();
        assert!(names.len() >= 30);
        let text = |value: &Value, path: &str| {
            value.dig(path.split('.')).and_then(Value::as_str).map(str::to_owned)
        };
        for name in names {
            let facts = fact_set(name, "web1.example.com").unwrap_or_default();
            for path in ["os.name", "os.family", "os.release.full", "os.release.major", "kernel"] {
                assert!(text(&facts, path).is_some_and(|text| !text.is_empty()), "{name}: {path}");
            }
            assert_eq!(text(&facts, "networking.fqdn").as_deref(), Some("web1.example.com"));
        }
        let ubuntu = fact_set("ubuntu-22.04", "a").unwrap_or_default();
        assert_eq!(text(&ubuntu, "os.release.major").as_deref(), Some("22.04"));
        assert_eq!(text(&ubuntu, "networking.fqdn").as_deref(), Some("a.example.org"));
        assert!(fact_set("plan9", "a").is_none());
    }
}
