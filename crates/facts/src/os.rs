//! The operating system: family, name, release.

use std::collections::BTreeMap;

use ordain_data::Value;

use crate::Machine;
use crate::kernel;
use crate::machine::some_map;
use crate::selinux;

/// The family, by a part of the identifier.
const FAMILIES: [(&str, &[&str]); 6] = [
    (
        "RedHat",
        &[
            "redhat",
            "rhel",
            "fedora",
            "centos",
            "scientific",
            "ascendos",
            "cloudlinux",
            "psbm",
            "oraclelinux",
            "ol",
            "ovs",
            "oel",
            "amazon",
            "amzn",
            "xenserver",
            "xcp-ng",
            "virtuozzo",
            "photon",
            "mariner",
            "rocky",
            "almalinux",
        ],
    ),
    ("Debian", &["debian", "ubuntu", "huaweios", "linuxmint", "devuan", "kde", "raspbian"]),
    ("Suse", &["sles", "sled", "suse", "opensuse"]),
    ("Gentoo", &["gentoo"]),
    ("Archlinux", &["arch", "manjaro"]),
    ("Mandrake", &["mandrake", "mandriva", "mageia"]),
];

/// The name by identifier, if it differs from the one in the file.
const NAMES: [(&str, &str); 19] = [
    ("almalinux", "AlmaLinux"),
    ("alpine", "Alpine"),
    ("amzn", "Amazon"),
    ("arch", "Archlinux"),
    ("centos", "CentOS"),
    ("debian", "Debian"),
    ("fedora", "Fedora"),
    ("gentoo", "Gentoo"),
    ("linuxmint", "Linuxmint"),
    ("manjaro", "Manjarolinux"),
    ("ol", "OracleLinux"),
    ("opensuse", "OpenSuSE"),
    ("opensuse-leap", "openSUSE"),
    ("opensuse-tumbleweed", "openSUSE"),
    ("raspbian", "Debian"),
    ("rhel", "RedHat"),
    ("rocky", "Rocky"),
    ("sles", "SLES"),
    ("ubuntu", "Ubuntu"),
];

/// The settings of `os-release`, by name.
fn settings(machine: &Machine) -> BTreeMap<String, String> {
    let text = machine.read("/etc/os-release").or_else(|| machine.read("/usr/lib/os-release"));
    let text = text.unwrap_or_default();
    let entry = |line: &str| {
        let (key, value) = line.trim().split_once('=')?;
        Some((key.to_owned(), value.trim_matches(['"', '\'']).to_owned()))
    };
    text.lines().filter(|l| !l.starts_with('#')).filter_map(entry).collect()
}

pub(crate) fn os(machine: &Machine) -> Option<Value> {
    let settings = settings(machine);
    let get = |key: &str| settings.get(key).map(String::as_str).filter(|v| !v.is_empty());
    let id = get("ID").unwrap_or("linux");
    let name = NAMES.iter().find(|(i, _)| *i == id).map(|(_, name)| (*name).to_owned());
    let name = name.or_else(|| get("NAME").map(str::to_owned)).unwrap_or_else(|| "Linux".into());
    let family = family(id, get("ID_LIKE").unwrap_or_default()).unwrap_or(&name).to_owned();
    let version = version(machine, id, get("VERSION_ID"));
    let release = version.as_deref().map(|v| release(v, id));
    let hardware = kernel::hardware(machine);
    let distro = some_map([
        ("codename", codename(&settings).map(Value::from)),
        ("description", get("PRETTY_NAME").map(Value::from)),
        ("id", Some(name.as_str().into())),
        ("release", release.clone()),
    ]);
    some_map([
        ("architecture", Some(architecture(&hardware, &family).into())),
        ("distro", distro),
        ("family", Some(family.as_str().into())),
        ("hardware", Some(hardware.as_str().into())),
        ("name", Some(name.as_str().into())),
        ("release", release),
        ("selinux", selinux::selinux(machine)),
    ])
}

fn family(id: &str, like: &str) -> Option<&'static str> {
    let known = |id: &str| {
        let is =
            |names: &[&str]| names.iter().any(|n| id == *n || id.starts_with(&format!("{n}-")));
        FAMILIES.iter().find(|(_, names)| is(names)).map(|(family, _)| *family)
    };
    known(id).or_else(|| like.split_whitespace().find_map(known))
}

/// The full version: Debian, CentOS and others have it in separate files.
fn version(machine: &Machine, id: &str, version_id: Option<&str>) -> Option<String> {
    let own = match id {
        "debian" | "raspbian" => machine.line("/etc/debian_version"),
        "rhel" | "centos" | "rocky" | "almalinux" | "fedora" | "ol" => {
            machine.line("/etc/redhat-release").and_then(|line| {
                let after = line.split("release ").nth(1)?;
                after.split_whitespace().next().map(str::to_owned)
            })
        }
        "alpine" => machine.line("/etc/alpine-release"),
        "arch" | "manjaro" | "gentoo" => {
            kernel::release(machine).and_then(|v| Some(v.as_str()?.to_owned()))
        }
        _ => None,
    };
    own.or_else(|| version_id.map(str::to_owned))
}

fn release(version: &str, id: &str) -> Value {
    // The first two parts of Ubuntu's versions are one release.
    if id == "ubuntu" {
        return Value::map([("full", version.into()), ("major", version.into())]);
    }
    let mut parts = version.split('.');
    let major = parts.next().unwrap_or(version);
    let mut entries = vec![("full", Value::from(version)), ("major", major.into())];
    if let Some(minor) = parts.next() {
        // Debian 7.06 is the sixth point release.
        let padded = minor.strip_prefix('0').filter(|m| !m.is_empty() && id == "debian");
        let minor = padded.unwrap_or(minor);
        entries.push(("minor", minor.into()));
    }
    Value::map(entries)
}

fn codename(settings: &BTreeMap<String, String>) -> Option<String> {
    if let Some(name) = settings.get("VERSION_CODENAME").filter(|v| !v.is_empty()) {
        return Some(name.clone());
    }
    let version = settings.get("VERSION")?;
    let (_, name) = version.split_once('(')?;
    Some(name.trim_end_matches(')').to_owned()).filter(|n| !n.is_empty())
}

/// Debian and Gentoo use their own names for some hardware.
fn architecture(hardware: &str, family: &str) -> String {
    match (family, hardware) {
        ("Debian" | "Gentoo", "x86_64") => "amd64".into(),
        ("Debian", "aarch64") => "aarch64".into(),
        ("Gentoo", "i386" | "i486" | "i586" | "i686") => "x86".into(),
        (_, "i486" | "i586" | "i686") => "i386".into(),
        _ => hardware.to_owned(),
    }
}
