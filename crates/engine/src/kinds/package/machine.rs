//! The default package manager of a machine.

use std::path::Path;

use crate::kind::KindError;
use crate::system::file_cache::{Cached, read_text};
use crate::system::host::Host;

/// Files that identify a system; the first that exists counts.
const FILES: [&str; 2] = ["/etc/os-release", "/usr/lib/os-release"];

/// The package managers of systems, by the names of the systems.
const SYSTEMS: &[(&str, &str)] = &[
    ("fedora", "dnf"),
    ("rhel", "dnf"),
    ("centos", "dnf"),
    ("amzn", "dnf"),
    ("suse", "zypper"),
    ("opensuse", "zypper"),
    ("sles", "zypper"),
    ("alpine", "apk"),
    ("arch", "pacman"),
    ("manjaro", "pacman"),
    ("artix", "pacman"),
    ("debian", "apt"),
    ("ubuntu", "apt"),
];

/// The managers of machines, cached until the files change.
#[derive(Default)]
pub(super) struct Machines {
    known: Cached<&'static str>,
}

impl Machines {
    /// The manager of a machine.
    pub(super) fn provider(&self, host: &Host) -> &'static str {
        let paths = FILES.map(|file| host.path(Path::new(file)));
        let read = || {
            // An unreadable file must not stop packages on Debian.
            let texts = paths.iter().filter_map(|path| read_text(path).ok().flatten());
            Ok::<_, KindError>(texts.map(|text| provider_of(&text)).next().unwrap_or("apt"))
        };
        self.known.get(&paths, read).map_or("apt", |provider| *provider)
    }
}

/// The manager of the system that an `os-release` file describes: by its `ID`, else by `ID_LIKE`.
/// Red Hat's systems before version 8 have yum.
fn provider_of(text: &str) -> &'static str {
    let field = |name: &str| {
        let value = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_default().trim_matches(['"', '\'']).to_ascii_lowercase()
    };
    let (id, like) = (field("ID"), field("ID_LIKE"));
    let known = |id: &str| {
        let stem = id.split('-').next().unwrap_or_default();
        SYSTEMS.iter().find(|(name, _)| *name == stem).map(|(_, provider)| *provider)
    };
    let found = std::iter::once(id.as_str()).chain(like.split_whitespace()).find_map(known);
    let major = field("VERSION_ID").split('.').next().and_then(|n| n.parse::<u32>().ok());
    let old = |major: u32| if id == "amzn" { major < 2023 } else { id != "fedora" && major < 8 };
    match (found.unwrap_or("apt"), major) {
        ("dnf", Some(major)) if old(major) => "yum",
        (provider, _) => provider,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_have_managers() {
        for (text, provider) in [
            ("ID=debian\n", "apt"),
            ("NAME=x\n", "apt"),
            ("ID=fedora\nVERSION_ID=40\n", "dnf"),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"9.3\"\n", "dnf"),
            ("ID=\"centos\"\nID_LIKE=\"rhel fedora\"\nVERSION_ID=\"7\"\n", "yum"),
            ("ID=\"amzn\"\nID_LIKE=\"centos rhel fedora\"\nVERSION_ID=\"2\"\n", "yum"),
            ("ID=\"amzn\"\nID_LIKE=\"fedora\"\nVERSION_ID=\"2023\"\n", "dnf"),
            ("ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\nVERSION_ID=\"15.6\"\n", "zypper"),
            ("ID=alpine\nVERSION_ID=3.20.1\n", "apk"),
            ("ID=endeavouros\nID_LIKE=arch\n", "pacman"),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"7\"\n", "apt"),
        ] {
            assert_eq!(provider_of(text), provider, "{text}");
        }
    }
}
