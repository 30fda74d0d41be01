//! The package managers that are asked through their command lines, one file each.

mod apk;
mod dnf;
mod gem;
mod npm;
mod pacman;
mod pip;
mod rpm;
mod zypper;

use std::time::Duration;

use rustc_hash::FxHashMap;

pub(super) use rpm::DATABASE as RPM_DATABASES;

use super::Ensure;
use super::managed::locate;
use crate::host::{Host, Invocation, Outcome};
use crate::kind::{KindError, Share};
use crate::kinds::tools::{ask, check, inside, run_covered};

/// Downloads and scripts of packages may take long.
const LIMIT: Duration = Duration::from_secs(3600);

/// The manager of this name; apt and dpkg are none of these.
pub(super) fn find(name: &str) -> Option<&'static dyn Manager> {
    const ALL: [&dyn Manager; 9] = [
        &apk::Apk,
        &dnf::DNF,
        &dnf::YUM,
        &gem::Gem,
        &npm::Npm,
        &pacman::Pacman,
        &pip::PIP,
        &pip::PIP3,
        &zypper::Zypper,
    ];
    ALL.into_iter().find(|manager| manager.name() == name)
}

/// What a manager can do besides installing, upgrading and removing.
#[derive(Clone, Copy, Default)]
pub(super) struct Features {
    /// It takes the version to install.
    pub(super) versions: bool,
    /// It removes configuration as well.
    pub(super) purge: bool,
    /// It takes options for removals.
    pub(super) uninstall_options: bool,
    /// It keeps several versions beside each other.
    pub(super) install_only: bool,
    /// There may be several of it on a machine, told apart by their paths.
    pub(super) command: bool,
}

/// What is wanted of a manager.
pub(super) struct Wish {
    pub(super) name: String,
    pub(super) ensure: Ensure,
    pub(super) source: Option<String>,
    pub(super) install_options: Vec<String>,
    pub(super) uninstall_options: Vec<String>,
    pub(super) allow_virtual: bool,
    pub(super) install_only: bool,
}

/// A package that is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    /// Its own name, which another may have stood for.
    pub(super) name: String,
    /// Its versions; there is at least one.
    pub(super) versions: Vec<String>,
}

impl Found {
    /// The versions as logs show them.
    pub(super) fn text(&self) -> String {
        self.versions.join("; ")
    }
}

/// What is installed, by the names that are understood for it.
#[derive(Default)]
pub(super) struct Installed {
    packages: Vec<Found>,
    index: FxHashMap<String, usize>,
}

impl Installed {
    /// Adds a version of a package.
    fn add(&mut self, key: &str, name: &str, version: &str) {
        let id = *self.index.entry(key.to_string()).or_insert_with(|| {
            self.packages.push(Found { name: name.to_string(), versions: Vec::new() });
            self.packages.len() - 1
        });
        let versions = &mut self.packages[id].versions;
        if !versions.iter().any(|known| known == version) {
            versions.push(version.to_string());
        }
    }

    /// The names of all packages.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.iter().map(|found| found.name.as_str())
    }

    /// The package of a name.
    fn get(&self, key: &str) -> Option<&Found> {
        self.index.get(key).map(|id| &self.packages[*id])
    }
}

/// A manager on a machine.
pub(super) struct At<'a> {
    pub(super) host: &'a Host,
    /// The path of its tool.
    pub(super) tool: String,
    /// Variables that are set for it.
    pub(super) environment: &'a [(String, String)],
    /// Whether its arguments and what it says must not show.
    pub(super) secret: bool,
}

impl At<'_> {
    fn command<S: AsRef<str>>(&self, tool: &str, arguments: &[S]) -> Invocation {
        let words = std::iter::once(tool).chain(arguments.iter().map(AsRef::as_ref));
        let mut command = inside(self.host, words.map(str::to_string));
        command.set_env.extend(self.environment.iter().map(|(n, v)| (n.into(), v.into())));
        command.timeout = Some(LIMIT);
        command
    }

    /// Calls the tool; any status is fine.
    fn ask<S: AsRef<str>>(&self, arguments: &[S]) -> Result<Outcome, KindError> {
        ask(self.host, &self.command(&self.tool, arguments))
    }

    /// Calls the tool, which has to succeed.
    pub(super) fn run<S: AsRef<str>>(&self, arguments: &[S]) -> Result<Outcome, KindError> {
        run_covered(self.host, &self.command(&self.tool, arguments), self.secret)
    }

    /// The outcome of a call as an error, even if the tool says that it succeeded.
    fn fail<S: AsRef<str>>(&self, arguments: &[S], mut outcome: Outcome) -> KindError {
        outcome.status = outcome.status.max(1);
        let failed = check(&self.command(&self.tool, arguments), outcome, self.secret);
        failed.err().unwrap_or_else(|| KindError::new("a command failed"))
    }

    /// Another tool of the machine.
    fn beside(&self, tool: &str) -> Result<At<'_>, KindError> {
        let missing = || KindError::new(format!("Could not find command '{tool}'"));
        let tool = locate(self.host, &[tool]).ok_or_else(missing)?;
        let At { host, environment, secret, .. } = *self;
        Ok(At { host, tool, environment, secret })
    }
}

/// A package manager.
pub(super) trait Manager: Sync {
    /// Its name as a provider.
    fn name(&self) -> &'static str;

    /// The names of its tool; the first that a machine has is called.
    fn tools(&self) -> &'static [&'static str];

    /// What it can do.
    fn features(&self) -> Features;

    /// Files that are another after every change of what is installed; none if there are no such.
    fn database(&self) -> &'static [&'static str] {
        &[]
    }

    /// What tells of such a change while it is watched.
    fn watched(&self) -> &'static [&'static str] {
        self.database()
    }

    /// A name without what the manager takes besides.
    fn plain_name<'n>(&self, name: &'n str) -> &'n str {
        name
    }

    /// All that is installed.
    fn list(&self, at: &At<'_>) -> Result<Installed, KindError>;

    /// What is installed of a wish.
    fn find(&self, _at: &At<'_>, all: &Installed, wish: &Wish) -> Result<Option<Found>, KindError> {
        Ok(all.get(&wish.name).cloned())
    }

    /// Whether the version that is there is one that is wanted.
    fn fits(
        &self,
        at: &At<'_>,
        wish: &Wish,
        wanted: &str,
        found: &Found,
    ) -> Result<bool, KindError>;

    /// The latest version of what is installed.
    fn latest(&self, at: &At<'_>, wish: &Wish, found: &Found) -> Result<String, KindError>;

    /// Installs, upgrades or downgrades.
    fn install(&self, at: &At<'_>, wish: &Wish, found: Option<&Found>) -> Result<(), KindError>;

    /// Removes.
    fn remove(&self, at: &At<'_>, wish: &Wish, found: &Found) -> Result<(), KindError>;

    /// What a package adds to a call that installs several, if that is done for it.
    ///
    /// # Errors
    /// When the manager does not tell.
    fn install_several(&self, _: &At<'_>, _wish: &Wish) -> Result<Option<Share>, KindError> {
        Ok(None)
    }

    /// What a package adds to a call that removes several, if that is done for it.
    fn remove_several(&self, _wish: &Wish, _found: &Found) -> Option<Share> {
        None
    }
}

/// The words of a call that several share, and the word of one of them.
fn share(common: &[&str], own: &str) -> Share {
    Share { common: common.iter().map(|word| (*word).to_string()).collect(), own: own.into() }
}

/// Arguments in a row.
fn arguments<'s>(parts: &[&[&'s str]]) -> Vec<&'s str> {
    parts.concat()
}

/// Texts as slices of texts.
fn texts(items: &[String]) -> Vec<&str> {
    items.iter().map(String::as_str).collect()
}
