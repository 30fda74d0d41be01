//! `package`: software that a package manager installs.
//!
//! apt and dpkg are in `debian`; the other managers answer the questions of `managers::Manager`,
//! and `managed` asks them. Without a `provider` the machine decides (`machine`).

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

pub use contents::contents;

use crate::kind::params::Params;
use crate::kind::{AttributeDoc, AttributeError, Instance, Kind, KindError, ParseContext};
use crate::kinds::purge::unwanted;
use crate::system::host::Host;
use crate::system::watch::Watch;
use provider::Shared;

const ATTRIBUTES: &[AttributeDoc] = &[
    AttributeDoc { name: "name", doc: "The name of the package." },
    AttributeDoc {
        name: "ensure",
        doc: "`present` or `installed` (default), `absent`, `purged`, `latest`, `held`, a version, \
              a range such as `>=1.0 <2.0`.",
    },
    AttributeDoc {
        name: "source",
        doc: "A package file or, for some providers, an address; dpkg needs it.",
    },
    AttributeDoc { name: "mark", doc: "`hold` keeps the version, `none` does not." },
    AttributeDoc { name: "install_options", doc: "Options of the tool; a map gives `key=value`." },
    AttributeDoc { name: "uninstall_options", doc: "The same for removal." },
    AttributeDoc { name: "configfiles", doc: "Changed ones: `keep` (default) or `replace`." },
    AttributeDoc { name: "responsefile", doc: "Answers for debconf." },
    AttributeDoc { name: "allowcdrom", doc: "Install even if apt has a CD as source." },
    AttributeDoc { name: "allow_virtual", doc: "The name may be one that packages provide." },
    AttributeDoc { name: "reinstall_on_refresh", doc: "Install again on a refresh." },
    AttributeDoc { name: "environment", doc: "Variables for the tools, a list of `NAME=value`." },
    AttributeDoc { name: "install_only", doc: "Keep earlier versions; yum and dnf only." },
    AttributeDoc { name: "enable_only", doc: "dnf modules only." },
    AttributeDoc { name: "flavor", doc: "OpenBSD and dnf modules only." },
    AttributeDoc { name: "package_settings", doc: "FreeBSD only." },
    AttributeDoc { name: "adminfile", doc: "Solaris only." },
    AttributeDoc { name: "command", doc: "The path of the tool; gem and pip only." },
    AttributeDoc { name: "instance", doc: "Read-only." },
    AttributeDoc { name: "status", doc: "Read-only." },
    AttributeDoc { name: "category", doc: "Read-only." },
    AttributeDoc { name: "platform", doc: "Read-only." },
    AttributeDoc { name: "root", doc: "Read-only." },
    AttributeDoc { name: "vendor", doc: "Read-only." },
    AttributeDoc { name: "description", doc: "Read-only." },
];

/// The managers that are known; see also [`managers::find`].
const PROVIDERS: &[&str] =
    &["apt", "dpkg", "dnf", "yum", "zypper", "apk", "pacman", "pip", "pip3", "npm", "gem"];

/// Providers of packages that are not for this kind of system.
const OTHERS: &[&str] = &[
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
    fn name(&self) -> &'static str {
        "package"
    }

    fn doc(&self) -> &'static str {
        "Software that a package manager installs"
    }

    fn attributes(&self) -> &'static [AttributeDoc] {
        ATTRIBUTES
    }

    fn parse(
        &self,
        resource: &Resource,
        _context: &ParseContext<'_>,
    ) -> Result<Box<dyn Instance>, Vec<AttributeError>> {
        let mut p = Params::new(resource);
        if !p.has("provider") {
            return undeclared::parse(&self.shared, resource);
        }
        let provider = p.provider(PROVIDERS, OTHERS);
        provider::parse(&self.shared, p, provider)
    }

    /// Without the architecture: who declares a package of one keeps those of all.
    fn purged_as(&self, resource: &Resource) -> String {
        let name = Params::new(resource).name();
        without_architecture(&name).to_string()
    }

    fn has_instances(&self) -> bool {
        true
    }

    /// Those of the manager that the machine has; what others installed beside it stays.
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

/// What stands behind a name for an architecture.
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
