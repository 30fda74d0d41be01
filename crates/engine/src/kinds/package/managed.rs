//! Packages of all managers except apt: current state, desired state, and changes.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ordain_data::Value;
use ordain_graph::ResourceRef;
use rustc_hash::FxHashMap;

use super::managers::model::{
    InstalledPackage, Manager, ManagerContext, PackageList, PackageRequest,
};
use super::model::{Ensure, check_name, locate};
use super::{options, version};
use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::tools;
use crate::kind::{Action, BatchCommand, Change, Instance, KindError, ParseResult};
use crate::system::file_cache::{Stamp, stamp};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The maximum age of a list from a manager without change events.
const MAX_AGE: Duration = Duration::from_secs(5);

/// The interval of checks of such packages. It is long, because each check starts the tool.
const POLL_INTERVAL: Duration = Duration::from_secs(30);

/// The state of the database when it was queried.
#[derive(Clone, PartialEq, Eq)]
enum DatabaseStamp {
    /// The files of the manager were so.
    Files(Vec<Stamp>),
    /// So much had been done by this process.
    Time(Instant, u64),
}

impl DatabaseStamp {
    fn now(host: &Host, manager: &dyn Manager) -> Self {
        let stamps = manager.database().iter().map(|p| stamp(&host.path(Path::new(p))));
        let stamps: Vec<Stamp> = stamps.collect();
        match stamps.iter().any(Option::is_some) {
            true => Self::Files(stamps),
            // The database does not exist yet, or is somewhere else.
            false => Self::Time(Instant::now(), tools::changes_made()),
        }
    }

    /// Whether results from an earlier stamp are still valid.
    fn follows(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Time(now, done), Self::Time(then, done_then)) => {
                done == done_then && now.duration_since(*then) < MAX_AGE
            }
            _ => self == earlier,
        }
    }
}

/// Installed packages, by the arguments of the query.
#[derive(Default)]
pub(super) struct Lists {
    known: Mutex<FxHashMap<String, (DatabaseStamp, Arc<PackageList>)>>,
}

impl Lists {
    /// The installed packages. Concurrent callers wait for one query.
    fn get(
        &self,
        at: &ManagerContext<'_>,
        manager: &dyn Manager,
    ) -> Result<Arc<PackageList>, KindError> {
        let key = key(at, manager);
        let mark = DatabaseStamp::now(at.host, manager);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((earlier, list)) = known.get(&key)
            && mark.follows(earlier)
        {
            return Ok(Arc::clone(list));
        }
        let list = Arc::new(manager.list(at)?);
        // A list that took long to read is as old as its end.
        let mark = match mark {
            DatabaseStamp::Time(_, done) => DatabaseStamp::Time(Instant::now(), done),
            files => files,
        };
        known.insert(key, (mark, Arc::clone(&list)));
        Ok(list)
    }

    /// The names of all packages that a manager has on the machine.
    pub(super) fn installed(
        &self,
        host: &Host,
        manager: &dyn Manager,
    ) -> Result<Vec<String>, KindError> {
        let tool = tool_of(host, manager)?;
        let at = ManagerContext { host, tool, environment: &[], secret: false };
        Ok(self.get(&at, manager)?.names().map(str::to_string).collect())
    }

    fn forget(&self, at: &ManagerContext<'_>, manager: &dyn Manager) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&key(at, manager));
    }
}

fn key(at: &ManagerContext<'_>, manager: &dyn Manager) -> String {
    format!("{} {} {:?} {:?}", manager.name(), at.tool, at.environment, at.host.root)
}

/// Parses a package for a manager.
pub(super) fn parse(
    lists: &Arc<Lists>,
    mut p: Params<'_>,
    manager: &'static dyn Manager,
) -> ParseResult {
    let (provider, features) = (manager.name(), manager.features());
    let name = p.name();
    check_name(&mut p, manager.plain_name(&name));
    let ensure = parse_ensure(&mut p, manager);
    let source = p.text("source");
    if source.as_ref().is_some_and(|s| s.is_empty() || s.starts_with('-')) {
        p.error("source", "the source must be the path or the address of a package");
    }
    let needs = [
        (false, "mark", "holdable"),
        (features.uninstall_options, "uninstall_options", "uninstall_options"),
        (features.command, "command", "targetable"),
        (features.install_only, "install_only", "install_only"),
    ];
    for (_, attribute, feature) in needs.iter().filter(|(can, ..)| !can) {
        p.leave_out(provider, &[(attribute, Some(feature))]);
    }
    let command = p.text("command").filter(|_| features.command);
    if command.as_ref().is_some_and(|c| !c.starts_with('/')) {
        p.error("command", "the command must be an absolute path");
    }
    for name in ["configfiles", "allowcdrom", "reinstall_on_refresh"] {
        p.choice(name);
    }
    let may_be_virtual = !p.has("allow_virtual") || p.boolean("allow_virtual");
    let request = PackageRequest {
        name,
        ensure,
        source,
        install_options: options::parse(&mut p, "install_options"),
        uninstall_options: options::parse(&mut p, "uninstall_options"),
        allow_virtual: may_be_virtual,
        install_only: p.boolean("install_only"),
    };
    let environment = options::environment(&mut p);
    let (secrets, remarks) = (p.secrets(), p.remarks());
    let lists = Arc::clone(lists);
    let managed =
        ManagedPackage { lists, manager, request, command, environment, secrets, remarks };
    p.finish(Box::new(managed) as _)
}

fn parse_ensure(p: &mut Params<'_>, manager: &dyn Manager) -> Ensure {
    let Some(text) = p.text("ensure") else { return Ensure::Present };
    let features = manager.features();
    let (ensure, feature) = match text.as_str() {
        "present" | "installed" => (Ensure::Present, None),
        "absent" => (Ensure::Absent, None),
        "latest" => (Ensure::Latest, None),
        "purged" => (Ensure::Purged, (!features.purge).then_some("purgeable")),
        "held" => (Ensure::Present, Some("holdable")),
        "disabled" => (Ensure::Present, Some("disableable")),
        "" => {
            let words = "present, absent, purged, disabled, latest";
            let message = format!("Invalid value \"\". Valid values are {words}.");
            p.error("ensure", format!("{message} Valid values match /./."));
            (Ensure::Present, None)
        }
        text if text.starts_with('-') => {
            p.error("ensure", format!("Invalid version {text:?}"));
            (Ensure::Present, None)
        }
        version => {
            let lacks = (!features.versions).then_some("versionable");
            (Ensure::Version(version.to_string()), lacks)
        }
    };
    if let Some(feature) = feature {
        let provider = manager.name();
        let wanted = format!("must have features '{feature}' to set 'ensure' to '{text}'");
        p.error("ensure", format!("Provider {provider} {wanted}"));
    }
    ensure
}

/// The tool of a manager.
fn tool_of(host: &Host, manager: &dyn Manager) -> Result<String, KindError> {
    locate(host, manager.tools()).ok_or_else(|| {
        let name = manager.name();
        KindError::new(format!("Provider {name} is not functional on this host"))
    })
}

struct ManagedPackage {
    lists: Arc<Lists>,
    manager: &'static dyn Manager,
    request: PackageRequest,
    command: Option<String>,
    environment: Vec<(String, String)>,
    secrets: Vec<String>,
    remarks: Vec<String>,
}

impl ManagedPackage {
    fn at<'a>(&'a self, host: &'a Host) -> Result<ManagerContext<'a>, KindError> {
        let tool = match &self.command {
            Some(command) if host.path(Path::new(command)).is_file() => command.clone(),
            Some(command) => {
                let text = format!(
                    "Provider {} package command '{command}' does not exist on this host",
                    self.manager.name()
                );
                return Err(KindError::new(text));
            }
            None => tool_of(host, self.manager)?,
        };
        let secret = !self.secrets.is_empty();
        Ok(ManagerContext { host, tool, environment: &self.environment, secret })
    }

    fn find(&self, at: &ManagerContext<'_>) -> Result<Option<InstalledPackage>, KindError> {
        let list = self.lists.get(at, self.manager)?;
        self.manager.find(at, &list, &self.request)
    }

    /// The version that replaces the installed one, if it differs.
    fn replacement(
        &self,
        at: &ManagerContext<'_>,
        found: &InstalledPackage,
    ) -> Result<Option<String>, KindError> {
        match &self.request.ensure {
            Ensure::Latest => {
                let latest = self
                    .manager
                    .latest(at, &self.request, found)
                    .map_err(|e| KindError::new(format!("Could not get latest version: {e}")))?;
                Ok((!found.versions.contains(&latest)).then_some(latest))
            }
            Ensure::Version(wanted) => {
                let fits = self.fits(at, wanted, found)?;
                Ok((!fits).then(|| wanted.clone()))
            }
            _ => Ok(None),
        }
    }

    /// Whether the installed version is a desired one.
    fn fits(
        &self,
        at: &ManagerContext<'_>,
        wanted: &str,
        found: &InstalledPackage,
    ) -> Result<bool, KindError> {
        let fits_pattern = |now: &String| version::fits_pattern(wanted, now);
        Ok(found.versions.iter().any(fits_pattern)
            || self.manager.fits(at, &self.request, wanted, found)?)
    }

    fn install(&self, at: &ManagerContext<'_>) -> Result<(), KindError> {
        let found = self.find(at)?;
        let done = self.manager.install(at, &self.request, found.as_ref());
        self.lists.forget(at, self.manager);
        done?;
        let name = &self.request.name;
        let now = self.find(at)?;
        let now = now.ok_or_else(|| KindError::new(format!("Could not find package {name}")))?;
        if let Ensure::Version(wanted) = &self.request.ensure
            && !self.fits(at, wanted, &now)?
        {
            let got = format!("got version {} instead", now.text());
            return Err(KindError::new(format!("Failed to update to version {wanted}, {got}")));
        }
        Ok(())
    }

    fn remove(&self, at: &ManagerContext<'_>) -> Result<(), KindError> {
        let Some(found) = self.find(at)? else { return Ok(()) };
        let done = self.manager.remove(at, &self.request, &found);
        self.lists.forget(at, self.manager);
        done?;
        match self.find(at)? {
            None => Ok(()),
            Some(left) => Err(KindError::new(format!("{} is still there afterwards", left.name))),
        }
    }
}

impl Instance for ManagedPackage {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.manager.watched().iter().map(|path| Watch::Path((*path).into())).collect()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        self.manager.watched().is_empty().then_some(POLL_INTERVAL)
    }

    fn autorequires(&self) -> Vec<ResourceRef> {
        let source = self.request.source.iter().filter(|s| Path::new(s).is_absolute());
        let files = source.chain(&self.command);
        files.map(|f| ResourceRef { kind: "File".into(), title: f.as_str().into() }).collect()
    }

    fn remarks(&self, _: &Host) -> Vec<String> {
        self.remarks.clone()
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let at = self.at(host)?;
        let mut to = Differences::new(&self.secrets);
        let none = if self.manager.features().purge { "purged" } else { "absent" };
        match (&self.request.ensure, self.find(&at)?) {
            (Ensure::Absent, Some(found)) => {
                to.remove(Value::str(found.text()), "absent", "removed");
            }
            (Ensure::Purged, Some(found)) => {
                to.remove(Value::str(found.text()), "purged", "purged");
            }
            (Ensure::Absent | Ensure::Purged, None) => {}
            (Ensure::Version(version), None) => to.create(none, Value::str(version.as_str())),
            (Ensure::Latest, None) => to.create(none, Value::str("latest")),
            (Ensure::Present, None) => to.create(none, Value::str("present")),
            (_, Some(found)) => {
                if let Some(wanted) = self.replacement(&at, &found)? {
                    to.property("ensure", Value::str(found.text()), Value::str(wanted));
                }
            }
        }
        Ok(to.finish())
    }

    fn group(&self, _: &Host) -> Option<&'static str> {
        let is_plain = self.request.source.is_none()
            && self.command.is_none()
            && self.environment.is_empty()
            && self.secrets.is_empty();
        is_plain.then_some(self.manager.name())
    }

    fn batch_command(
        &self,
        host: &Host,
        changes: &[Change],
    ) -> Result<Option<BatchCommand>, KindError> {
        let [Change { action, .. }] = changes else { return Ok(None) };
        let at = self.at(host)?;
        let found = self.find(&at)?;
        Ok(match (action, &found) {
            (Action::Create, None) => self.manager.install_several(&at, &self.request)?,
            (Action::Remove, Some(found)) => self.manager.remove_several(&self.request, found),
            _ => None,
        })
    }

    fn transact(&self, host: &Host, common: &[String], own: &[&str]) -> Result<(), KindError> {
        let at = self.at(host)?;
        let words: Vec<&str> =
            common.iter().map(String::as_str).chain(own.iter().copied()).collect();
        let done = at.run(&words);
        self.lists.forget(&at, self.manager);
        done.map(drop)
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        let at = self.at(host)?;
        match changes.first().map(|change| change.action) {
            None => Ok(()),
            Some(Action::Remove) => self.remove(&at),
            Some(_) => self.install(&at).map_err(|e| match self.request.ensure {
                Ensure::Latest | Ensure::Version(_) => {
                    KindError::new(format!("Could not update: {e}"))
                }
                _ => e,
            }),
        }
    }
}
