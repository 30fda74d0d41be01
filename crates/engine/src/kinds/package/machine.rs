//! Which package manager a machine has, where nobody says.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use ordain_graph::{Resource, ResourceRef};

use super::{Params, Shared, parse_for};
use crate::host::Host;
use crate::kind::{AttributeError, Change, Instance, KindError, Share, Watch};
use crate::kinds::cached::{Cached, read_text};

/// Where a system says what it is; the first that is there counts.
const FILES: [&str; 2] = ["/etc/os-release", "/usr/lib/os-release"];

/// The managers of systems, by the names that these go by.
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

/// The managers of machines, as long as their files are as they were.
#[derive(Default)]
pub(super) struct Machines {
    known: Cached<&'static str>,
}

impl Machines {
    /// The manager of a machine.
    pub(super) fn provider(&self, host: &Host) -> &'static str {
        let paths = FILES.map(|file| host.path(Path::new(file)));
        let read = || {
            // What cannot be read is no reason to do nothing on a Debian.
            let texts = paths.iter().filter_map(|path| read_text(path).ok().flatten());
            Ok::<_, KindError>(texts.map(|text| provider_of(&text)).next().unwrap_or("apt"))
        };
        self.known.get(&paths, read).map_or("apt", |provider| *provider)
    }
}

/// The manager of the system that an `os-release` tells of: by its own name, else by those it is
/// like. Red Hat's systems before version 8 have yum.
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

/// A package that does not say its manager: parsed for the running system, and again when the
/// machine turns out to be another.
pub(super) fn parse(
    shared: &Arc<Shared>,
    resource: &Resource,
) -> Result<Box<dyn Instance>, Vec<AttributeError>> {
    let host = Host::new("/".into(), Box::new(crate::runner::HostRunner));
    let guess = shared.machines.provider(&host);
    let guessed = parse_for(shared, Params::new(resource), guess)?;
    let (shared, resource) = (Arc::clone(shared), resource.clone());
    Ok(Box::new(Undeclared { shared, resource, guess, guessed, other: OnceLock::new() }))
}

struct Undeclared {
    shared: Arc<Shared>,
    resource: Resource,
    guess: &'static str,
    guessed: Box<dyn Instance>,
    other: OnceLock<Result<Box<dyn Instance>, KindError>>,
}

impl Undeclared {
    fn instance(&self, host: &Host) -> Result<&dyn Instance, KindError> {
        let provider = self.shared.machines.provider(host);
        if provider == self.guess {
            return Ok(&*self.guessed);
        }
        let parsed = self.other.get_or_init(|| {
            parse_for(&self.shared, Params::new(&self.resource), provider).map_err(|errors| {
                let texts: Vec<_> = errors.into_iter().map(|e| e.message).collect();
                KindError::new(texts.join("; "))
            })
        });
        parsed.as_ref().map(|instance| &**instance).map_err(Clone::clone)
    }
}

impl Instance for Undeclared {
    fn autorequires(&self) -> Vec<ResourceRef> {
        self.guessed.autorequires()
    }

    fn watches(&self, host: &Host) -> Vec<Watch> {
        self.instance(host).map(|i| i.watches(host)).unwrap_or_default()
    }

    fn pause(&self, host: &Host) -> Option<std::time::Duration> {
        self.instance(host).ok()?.pause(host)
    }

    fn remarks(&self, host: &Host) -> Vec<String> {
        self.instance(host).map(|i| i.remarks(host)).unwrap_or_default()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        self.instance(host)?.compare(host)
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        self.instance(host)?.apply(host, changes)
    }

    fn group(&self, host: &Host) -> Option<&'static str> {
        self.instance(host).ok()?.group(host)
    }

    fn share(&self, host: &Host, changes: &[Change]) -> Result<Option<Share>, KindError> {
        self.instance(host)?.share(host, changes)
    }

    fn transact(&self, host: &Host, common: &[String], own: &[&str]) -> Result<(), KindError> {
        self.instance(host)?.transact(host, common, own)
    }

    fn refreshable(&self) -> bool {
        self.guessed.refreshable()
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.instance(host)?.refresh(host)
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
