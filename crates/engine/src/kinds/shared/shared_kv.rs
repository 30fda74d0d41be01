//! Values that programs share, by key, and by key and host.
//!
//! Each key has its own file, so that readers can watch it. Without a store the file holds the
//! values of this machine; with one it is a copy of the values in the store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ordain_graph::shared::{SharedKey, Space};
use serde::{Deserialize, Serialize};

use crate::kind::KindError;
use crate::kinds::shared::state_file::StateFile;
use crate::system::host::{Host, SharedValues};

/// The values that have a file in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Group {
    /// A key: its common value, and those of hosts.
    Key(String),
    /// A namespace of elections: its candidates, and the elected ones.
    Election(String),
    /// The exported resources of a kind.
    Exports(String),
}

impl Group {
    /// The group of a key.
    pub(crate) fn of(key: &SharedKey) -> Self {
        match key.space {
            Space::Common | Space::Mapped => Self::Key(key.name.clone()),
            Space::Candidate | Space::Elected => Self::Election(key.name.clone()),
            Space::Export => {
                let kind = key.name.split_once('/').map_or(key.name.as_str(), |(kind, _)| kind);
                Self::Exports(kind.to_owned())
            }
        }
    }

    fn file(&self) -> StateFile {
        match self {
            Self::Key(name) => StateFile::new(WORLD, name),
            Self::Election(namespace) => StateFile::new(SCHEDULE, namespace),
            Self::Exports(kind) => StateFile::new(EXPORTS, kind),
        }
    }
}

const WORLD: &str = "world";
const SCHEDULE: &str = "schedule";
const EXPORTS: &str = "exports";

/// A key of the shared world.
pub struct Key {
    file: StateFile,
    /// Its group in stores, unless it is of this machine only.
    group: Option<Group>,
}

#[derive(Default, Serialize, Deserialize)]
struct Values {
    /// The common value, or the elected hosts.
    #[serde(default)]
    value: Option<String>,
    /// The values by host. An export has `HOST/NAME`.
    #[serde(default)]
    hosts: BTreeMap<String, String>,
}

/// A resource that a host exports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedExport {
    /// The target hosts; `*` is all of them.
    pub hosts: Vec<String>,
    /// The resource, encoded.
    pub data: String,
}

impl Key {
    fn of(group: Group) -> Self {
        Self { file: group.file(), group: Some(group) }
    }

    /// The key of this name.
    pub fn new(name: &str) -> Self {
        Self::of(Group::Key(name.to_owned()))
    }

    /// A key for resources of this machine only.
    pub fn of_machine(name: &str) -> Self {
        Self { file: StateFile::new("local", name), group: None }
    }

    /// The candidates of an election in a namespace, each with its options.
    pub fn of_schedule(namespace: &str) -> Self {
        Self::of(Group::Election(namespace.to_owned()))
    }

    /// The exported resources of a kind.
    pub fn of_exports(kind: &str) -> Self {
        Self::of(Group::Exports(kind.to_owned()))
    }

    /// The file that changes with one of its values.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    fn read(&self, host: &Host) -> Result<Values, KindError> {
        let known = host.shared.as_deref().filter(|shared| shared.is_known());
        if let (Some(shared), Some(group)) = (known, &self.group) {
            return Ok(values(shared, group));
        }
        self.read_file(host)
    }

    fn read_file(&self, host: &Host) -> Result<Values, KindError> {
        let Some(bytes) = self.file.read(host)? else { return Ok(Values::default()) };
        serde_json::from_slice(&bytes)
            .map_err(|e| KindError::new(format!("{} has no values: {e}", self.path().display())))
    }

    fn write_file(&self, host: &Host, values: &Values) -> Result<(), KindError> {
        let text = serde_json::to_vec(values)
            .map_err(|e| KindError::new(format!("the values cannot be written: {e}")))?;
        self.file.write(host, &text)
    }

    /// The common value, or the value of a host.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn get(&self, host: &Host, of: Option<&str>) -> Result<Option<String>, KindError> {
        let values = self.read(host)?;
        Ok(match of {
            None => values.value,
            Some(of) => values.hosts.get(of).cloned(),
        })
    }

    /// The values of the hosts.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn of_hosts(&self, host: &Host) -> Result<BTreeMap<String, String>, KindError> {
        Ok(self.read(host)?.hosts)
    }

    /// The elected hosts, if this is an election. Without a store all candidates are elected.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn elected(&self, host: &Host) -> Result<Vec<String>, KindError> {
        let Values { value, hosts: candidates } = self.read(host)?;
        let Some(elected) = value else {
            let is_alone = host.shared.is_none();
            return Ok(if is_alone { candidates.into_keys().collect() } else { Vec::new() });
        };
        let mut elected = hosts(&elected);
        // A host that is no candidate any more is not elected, even if no candidate has noticed.
        elected.retain(|host| candidates.contains_key(host));
        elected.sort();
        Ok(elected)
    }

    /// The exported resources, if this is a kind, each with its name and its host, in that order.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn exports(&self, host: &Host) -> Result<Vec<(String, String, SharedExport)>, KindError> {
        let values = self.read(host)?.hosts.into_iter();
        let mut found: Vec<_> = values
            .filter_map(|(key, value)| {
                let (host, name) = key.split_once('/')?;
                let export = serde_json::from_str(&value).ok()?;
                Some((name.to_owned(), host.replace("%2F", "/").replace("%25", "%"), export))
            })
            .collect();
        found.sort_by(|one: &(String, String, _), other| {
            (&one.0, &one.1).cmp(&(&other.0, &other.1))
        });
        Ok(found)
    }

    /// Sets or removes the common value, or the value of a host. With a store, the value of a host
    /// ends after `ttl` seconds unless the host renews it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set(
        &self,
        host: &Host,
        of: Option<&str>,
        value: Option<&str>,
        ttl: Option<u64>,
    ) -> Result<(), KindError> {
        if let (Some(shared), Some(group)) = (host.shared.as_deref(), &self.group) {
            let (name, own) = match group {
                Group::Key(name) => (name, Space::Mapped),
                Group::Election(name) => (name, Space::Candidate),
                Group::Exports(name) => (name, Space::Export),
            };
            let space = if of.is_some() { own } else { Space::Common };
            let key = SharedKey::new(space, name, of.unwrap_or_default());
            return shared.set(&key, value, ttl).map_err(KindError::new);
        }
        /// Makes reading, changing and writing one step for other threads.
        static UPDATE_LOCK: Mutex<()> = Mutex::new(());
        let _step = UPDATE_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let mut values = self.read_file(host)?;
        match (of, value) {
            (None, value) => values.value = value.map(str::to_owned),
            (Some(of), Some(value)) => drop(values.hosts.insert(of.to_owned(), value.to_owned())),
            (Some(of), None) => drop(values.hosts.remove(of)),
        }
        self.write_file(host, &values)
    }
}

/// The hosts in the value of an election.
pub(crate) fn hosts(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The values of a group in a store.
fn values(shared: &dyn SharedValues, group: &Group) -> Values {
    let common = |space, name: &str| shared.values(space, name).remove("");
    match group {
        Group::Key(name) => {
            Values { value: common(Space::Common, name), hosts: shared.values(Space::Mapped, name) }
        }
        Group::Election(name) => Values {
            value: common(Space::Elected, name),
            hosts: shared.values(Space::Candidate, name),
        },
        Group::Exports(kind) => {
            let mut values = Values::default();
            for (key, value) in shared.exports(kind) {
                values.add(&key, &value);
            }
            values
        }
    }
}

impl Values {
    fn add(&mut self, key: &SharedKey, value: &str) {
        let value = value.to_owned();
        match key.space {
            Space::Common | Space::Elected => self.value = Some(value),
            Space::Mapped | Space::Candidate => drop(self.hosts.insert(key.host.clone(), value)),
            Space::Export => {
                let host = key.host.replace('%', "%25").replace('/', "%2F");
                let name = key.name.split_once('/').map_or("", |(_, name)| name);
                self.hosts.insert(format!("{host}/{name}"), value);
            }
        }
    }
}

/// The copies of a store's values in files of a machine.
pub(crate) struct Copies<'h> {
    machine: &'h Host,
}

impl<'h> Copies<'h> {
    pub(crate) fn new(machine: &'h Host) -> Self {
        Self { machine }
    }

    /// Writes the values of a group, unless the file has them already.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn write<'v>(
        &self,
        group: &Group,
        values: impl Iterator<Item = (&'v SharedKey, &'v str)>,
    ) -> Result<(), KindError> {
        let file = group.file();
        let mut new = Values::default();
        values.for_each(|(key, value)| new.add(key, value));
        if new.value.is_none() && new.hosts.is_empty() {
            return file.remove(self.machine);
        }
        let text = serde_json::to_vec(&new)
            .map_err(|e| KindError::new(format!("the values cannot be written: {e}")))?;
        match file.read(self.machine)? {
            Some(old) if old == text => Ok(()),
            _ => file.write(self.machine, &text),
        }
    }

    /// Removes the copies of other groups: the store no longer has them.
    pub(crate) fn retain(&self, groups: &BTreeSet<Group>) {
        let wanted: BTreeSet<PathBuf> =
            groups.iter().map(|group| self.machine.path(group.file().path())).collect();
        for name in [WORLD, SCHEDULE, EXPORTS] {
            let directory = self.machine.path(&StateFile::directory(name));
            for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
                if !wanted.contains(&entry.path()) {
                    // An old copy is read only while the store does not answer.
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
    }
}
