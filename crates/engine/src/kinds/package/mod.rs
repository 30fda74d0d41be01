//! `package`: software that a package manager installs.
//!
//! apt and dpkg are in `debian`; the other managers implement `managers::Manager`, which `managed`
//! uses. Without a `provider` the machine decides (`machine`).

mod contents;
mod debian;
mod machine;
mod managed;
mod managers;
mod model;
mod options;
mod provider;
mod undeclared;
mod version;

use std::sync::Arc;

use ordain_graph::Resource;
use ordain_kinds::{KindSchema, software};

pub use contents::contents;

use crate::kind::params::Params;
use crate::kind::{Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::instances::unwanted;
use crate::system::host::Host;
use crate::system::watch::Watch;
use provider::Shared;

/// The supported managers; see also [`managers::find`].
const PROVIDERS: &[&str] =
    &["apt", "dpkg", "dnf", "yum", "zypper", "apk", "pacman", "pip", "pip3", "npm", "gem"];

/// Providers of packages that are not for this kind of system.
const FOREIGN_PROVIDERS: &[&str] = &[
    "aix",
    "appdmg",
    "apple",
    "aptitude",
    "aptrpm",
    "blastwave",
    "dnfmodule",
    "fink",
    "freebsd",
    "hpux",
    "macports",
    "nim",
    "openbsd",
    "opkg",
    "pip2",
    "pkg",
    "pkgdmg",
    "pkgin",
    "pkgng",
    "pkgutil",
    "portage",
    "ports",
    "portupgrade",
    "puppet_gem",
    "puppetserver_gem",
    "rpm",
    "rug",
    "sun",
    "sunfreeware",
    "tdnf",
    "up2date",
    "urpmi",
    "windows",
    "xbps",
];

/// The kind `package`.
#[derive(Default)]
pub struct Package {
    shared: Arc<Shared>,
}

impl Kind for Package {
    fn schema(&self) -> &KindSchema {
        &software::PACKAGE
    }

    fn parse(&self, resource: &Resource, _context: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        if !p.has("provider") {
            return undeclared::parse(&self.shared, resource);
        }
        let provider = p.provider(PROVIDERS, FOREIGN_PROVIDERS);
        provider::parse(&self.shared, p, provider)
    }

    /// Without the architecture: a declared package protects those of all architectures.
    fn purged_as(&self, resource: &Resource) -> String {
        let name = Params::new(resource).name();
        without_architecture(&name).to_string()
    }

    fn has_instances(&self) -> bool {
        true
    }

    /// The packages of the machine's manager. Packages of other managers stay.
    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        let provider = self.shared.machines.provider(host);
        let names = match managers::find(provider) {
            Some(manager) => self.shared.lists.installed(host, manager)?,
            None => self.shared.debian.installed(host)?,
        };
        Ok(names.iter().map(|name| unwanted("Package", name, &[])).collect())
    }

    fn instance_watches(&self, host: &Host) -> Vec<Watch> {
        match managers::find(self.shared.machines.provider(host)) {
            Some(manager) => manager.watched().iter().map(|p| Watch::Path(p.into())).collect(),
            None => debian::watched(),
        }
    }
}

/// Suffixes of names that are architectures.
const ARCHITECTURES: &[&str] =
    &["x86_64", "noarch", "i386", "i486", "i586", "i686", "aarch64", "armv7hl", "ppc64le", "s390x"];

/// A name as Debian (`name:amd64`) or Red Hat (`name.x86_64`) has it, without its architecture.
fn without_architecture(name: &str) -> &str {
    match name.rsplit_once([':', '.']) {
        Some((bare, last))
            if name[bare.len()..].starts_with(':') || ARCHITECTURES.contains(&last) =>
        {
            bare
        }
        _ => name,
    }
}
