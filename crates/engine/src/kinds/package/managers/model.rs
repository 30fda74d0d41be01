//! The contract of a package manager with a command line.

use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::kind::tools::{ask, check, inside, run_redacted};
use crate::kind::{BatchCommand, KindError};
use crate::kinds::package::model::{Ensure, locate};
use crate::system::host::Host;
use crate::system::runner::{Invocation, Outcome};

/// Downloads and scripts of packages may take long.
const LIMIT: Duration = Duration::from_secs(3600);

/// The optional features of a manager.
#[derive(Clone, Copy, Default)]
pub(in crate::kinds::package) struct Features {
    /// It takes the version to install.
    pub(in crate::kinds::package) versions: bool,
    /// It removes configuration as well.
    pub(in crate::kinds::package) purge: bool,
    /// It takes options for removals.
    pub(in crate::kinds::package) uninstall_options: bool,
    /// It can install several versions side by side.
    pub(in crate::kinds::package) install_only: bool,
    /// A machine may have several installations, selected by their paths.
    pub(in crate::kinds::package) command: bool,
}

/// A package that a manager is asked for.
pub(in crate::kinds::package) struct PackageRequest {
    pub(in crate::kinds::package) name: String,
    pub(in crate::kinds::package) ensure: Ensure,
    pub(in crate::kinds::package) source: Option<String>,
    pub(in crate::kinds::package) install_options: Vec<String>,
    pub(in crate::kinds::package) uninstall_options: Vec<String>,
    pub(in crate::kinds::package) allow_virtual: bool,
    pub(in crate::kinds::package) install_only: bool,
}

/// A package that is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::kinds::package) struct InstalledPackage {
    /// Its own name, if the declared name is an alias.
    pub(in crate::kinds::package) name: String,
    /// Its versions; there is at least one.
    pub(in crate::kinds::package) versions: Vec<String>,
}

impl InstalledPackage {
    /// The versions as logs show them.
    pub(in crate::kinds::package) fn text(&self) -> String {
        self.versions.join("; ")
    }
}

/// The installed packages, by every name that the manager accepts.
#[derive(Default)]
pub(in crate::kinds::package) struct PackageList {
    packages: Vec<InstalledPackage>,
    index: FxHashMap<String, usize>,
}

impl PackageList {
    /// Adds a version of a package.
    pub(super) fn add(&mut self, key: &str, name: &str, version: &str) {
        let id = *self.index.entry(key.to_string()).or_insert_with(|| {
            self.packages.push(InstalledPackage { name: name.to_string(), versions: Vec::new() });
            self.packages.len() - 1
        });
        let versions = &mut self.packages[id].versions;
        if !versions.iter().any(|known| known == version) {
            versions.push(version.to_string());
        }
    }

    /// The names of all packages.
    pub(in crate::kinds::package) fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.iter().map(|found| found.name.as_str())
    }

    /// The package of a name.
    pub(super) fn get(&self, key: &str) -> Option<&InstalledPackage> {
        self.index.get(key).map(|id| &self.packages[*id])
    }
}

/// A manager on a machine.
pub(in crate::kinds::package) struct ManagerContext<'a> {
    pub(in crate::kinds::package) host: &'a Host,
    /// The path of its tool.
    pub(in crate::kinds::package) tool: String,
    /// Variables that are set for it.
    pub(in crate::kinds::package) environment: &'a [(String, String)],
    /// Whether its arguments and output are secret.
    pub(in crate::kinds::package) secret: bool,
}

impl ManagerContext<'_> {
    pub(super) fn command<S: AsRef<str>>(&self, tool: &str, arguments: &[S]) -> Invocation {
        let words = std::iter::once(tool).chain(arguments.iter().map(AsRef::as_ref));
        let mut command = inside(self.host, words.map(str::to_string));
        command.launch.set_env.extend(self.environment.iter().map(|(n, v)| (n.into(), v.into())));
        command.timeout = Some(LIMIT);
        command
    }

    /// Calls the tool; any status is fine.
    pub(super) fn ask<S: AsRef<str>>(&self, arguments: &[S]) -> Result<Outcome, KindError> {
        ask(self.host, &self.command(&self.tool, arguments))
    }

    /// Calls the tool, which has to succeed.
    pub(in crate::kinds::package) fn run<S: AsRef<str>>(
        &self,
        arguments: &[S],
    ) -> Result<Outcome, KindError> {
        run_redacted(self.host, &self.command(&self.tool, arguments), self.secret)
    }

    /// Turns the outcome of a call into an error, even if the tool reported success.
    pub(super) fn fail<S: AsRef<str>>(&self, arguments: &[S], mut outcome: Outcome) -> KindError {
        outcome.status = outcome.status.max(1);
        let failed = check(&self.command(&self.tool, arguments), outcome, self.secret);
        failed.err().unwrap_or_else(|| KindError::new("a command failed"))
    }

    /// Another tool of the machine.
    pub(super) fn beside(&self, tool: &str) -> Result<ManagerContext<'_>, KindError> {
        let missing = || KindError::new(format!("Could not find command '{tool}'"));
        let tool = locate(self.host, &[tool]).ok_or_else(missing)?;
        let ManagerContext { host, environment, secret, .. } = *self;
        Ok(ManagerContext { host, tool, environment, secret })
    }
}

/// A package manager.
pub(in crate::kinds::package) trait Manager: Sync {
    /// Its name as a provider.
    fn name(&self) -> &'static str;

    /// The names of its tool; the first that exists is used.
    fn tools(&self) -> &'static [&'static str];

    /// Its features.
    fn features(&self) -> Features;

    /// Files that change with every change of the installed packages; empty if there are none.
    fn database(&self) -> &'static [&'static str] {
        &[]
    }

    /// The paths to watch for changes of packages.
    fn watched(&self) -> &'static [&'static str] {
        self.database()
    }

    /// A name without the manager's suffixes.
    fn plain_name<'n>(&self, name: &'n str) -> &'n str {
        name
    }

    /// All installed packages.
    fn list(&self, at: &ManagerContext<'_>) -> Result<PackageList, KindError>;

    /// The installed package of a request.
    fn find(
        &self,
        _at: &ManagerContext<'_>,
        all: &PackageList,
        request: &PackageRequest,
    ) -> Result<Option<InstalledPackage>, KindError> {
        Ok(all.get(&request.name).cloned())
    }

    /// Whether the installed version is a desired one.
    fn fits(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        wanted: &str,
        found: &InstalledPackage,
    ) -> Result<bool, KindError>;

    /// The latest version of an installed package.
    fn latest(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<String, KindError>;

    /// Installs, upgrades or downgrades.
    fn install(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: Option<&InstalledPackage>,
    ) -> Result<(), KindError>;

    /// Removes.
    fn remove(
        &self,
        at: &ManagerContext<'_>,
        request: &PackageRequest,
        found: &InstalledPackage,
    ) -> Result<(), KindError>;

    /// The part of a package in a call that installs several, if possible.
    ///
    /// # Errors
    /// When the manager's query fails.
    fn install_several(
        &self,
        _: &ManagerContext<'_>,
        _wish: &PackageRequest,
    ) -> Result<Option<BatchCommand>, KindError> {
        Ok(None)
    }

    /// The part of a package in a call that removes several, if possible.
    fn remove_several(
        &self,
        _wish: &PackageRequest,
        _found: &InstalledPackage,
    ) -> Option<BatchCommand> {
        None
    }
}

/// The common words of a call for several packages, and the word of one of them.
pub(super) fn batch_command(common: &[&str], own: &str) -> BatchCommand {
    BatchCommand {
        common: common.iter().map(|word| (*word).to_string()).collect(),
        own: own.into(),
    }
}

/// Arguments in a row.
pub(super) fn arguments<'s>(parts: &[&[&'s str]]) -> Vec<&'s str> {
    parts.concat()
}

/// Texts as slices of texts.
pub(super) fn texts(items: &[String]) -> Vec<&str> {
    items.iter().map(String::as_str).collect()
}
