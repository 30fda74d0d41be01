//! The environment of a program: the machine, the time, sent values, the shared world.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use ecow::EcoString;
use ordain_source::{MemoryWorld, World};

use crate::value::Value;

/// The event after which a function is called again with the same arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Watch {
    /// A time span since the last call.
    Every(Duration),
    /// This time has come.
    At(SystemTime),
    /// A file or directory was made, changed or removed.
    File(PathBuf),
    /// A running command wrote another line: [`Environment::line`].
    Command(EcoString),
    /// The host has another name.
    Hostname,
    /// Network interfaces came, went or changed.
    Network,
    /// The number of processors changed.
    Processors,
    /// A `value` resource of this name received another value.
    Received(EcoString),
    /// An `http:client` resource of this name got another answer.
    Response(EcoString),
    /// The firmware daemon reports another state.
    Firmware,
    /// A key of the shared store has another value, for all hosts or one of them.
    Key(EcoString),
    /// The hosts of a schedule changed.
    Schedule(EcoString),
    /// Other resources of this kind are exported.
    Exports(EcoString),
}

/// A resource that some host exports.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Export {
    /// Its kind.
    pub kind: EcoString,
    /// Its name.
    pub name: EcoString,
    /// The host that exports it.
    pub host: EcoString,
    /// The resource itself, encoded.
    pub data: EcoString,
}

/// The shared store of a cluster's hosts. One host without a cluster has [`Memory`].
pub trait Shared: Send + Sync {
    /// A global value.
    fn get(&self, key: &str) -> Option<EcoString>;
    /// The values of a key by host.
    fn get_by_host(&self, key: &str) -> BTreeMap<EcoString, EcoString>;
    /// Sets the value of a key for a host. Returns false if that has to be tried again.
    fn set_of_host(&self, key: &str, host: &str, value: &str) -> bool {
        let _ = (key, host, value);
        true
    }
    /// The hosts that a schedule elected.
    fn schedule(&self, namespace: &str) -> Vec<EcoString>;
    /// The resources of a kind that are exported to a host.
    fn exports(&self, kind: &str, host: &str) -> Vec<Export>;
}

/// The environment of a program.
///
/// All input of functions comes from here, so that tests can run a program in memory, repeat it
/// exactly, and choose the order of events.
pub trait Environment: Send + Sync {
    /// Files, environment, time, processes.
    fn world(&self) -> &dyn World;
    /// The name of this host.
    fn hostname(&self) -> EcoString;
    /// The shared store.
    fn shared(&self) -> &dyn Shared;
    /// The last line of a command, without its newline. `None` before the first line.
    ///
    /// # Errors
    /// If the command cannot run or failed.
    fn line(&self, command: &str) -> Result<Option<EcoString>, EcoString> {
        let _ = command;
        Err("no command can run here".into())
    }
    /// The last value that a `value` resource of this name received.
    fn received(&self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }
    /// Status and output of the `http:client` resource of this name.
    fn response(&self, name: &str) -> Option<(i64, EcoString)> {
        let _ = name;
        None
    }
    /// Whether new firmware needs a restart.
    fn needs_reboot(&self) -> bool {
        false
    }
    /// The directory of the unpacked deploy.
    fn deploy_root(&self) -> Option<PathBuf> {
        None
    }
    /// A persistent directory for files of the program.
    fn state_directory(&self) -> Option<PathBuf> {
        None
    }
    /// The command-line arguments of the program.
    fn arguments(&self) -> Vec<EcoString> {
        Vec::new()
    }
    /// The files of packages, by package, as far as they are known.
    fn packages(&self, names: &[&str]) -> BTreeMap<String, Vec<String>> {
        let _ = names;
        BTreeMap::new()
    }
}

/// Environment in memory, for checks and tests, and for one host without a cluster.
#[derive(Default)]
pub struct Memory {
    /// Files, environment, time.
    pub world: MemoryWorld,
    /// The name of this host.
    pub hostname: EcoString,
    /// The directory with the files of the deploy.
    pub deploy_root: Option<PathBuf>,
    /// The directory for files of the program.
    pub state_directory: Option<PathBuf>,
    /// The arguments of the program.
    pub arguments: Vec<EcoString>,
    /// The shared world.
    pub shared: MemoryShared,
    /// Last lines of commands.
    pub lines: BTreeMap<EcoString, EcoString>,
    /// The values that `value` resources received.
    pub received: BTreeMap<EcoString, Value>,
    /// The answers to `http:client` resources.
    pub responses: BTreeMap<EcoString, (i64, EcoString)>,
    /// The files of packages.
    pub packages: BTreeMap<String, Vec<String>>,
}

impl Environment for Memory {
    fn world(&self) -> &dyn World {
        &self.world
    }

    fn hostname(&self) -> EcoString {
        self.hostname.clone()
    }

    fn shared(&self) -> &dyn Shared {
        &self.shared
    }

    fn line(&self, command: &str) -> Result<Option<EcoString>, EcoString> {
        Ok(self.lines.get(command).cloned())
    }

    fn received(&self, name: &str) -> Option<Value> {
        self.received.get(name).cloned()
    }

    fn response(&self, name: &str) -> Option<(i64, EcoString)> {
        self.responses.get(name).cloned()
    }

    fn deploy_root(&self) -> Option<PathBuf> {
        self.deploy_root.clone()
    }

    fn state_directory(&self) -> Option<PathBuf> {
        self.state_directory.clone()
    }

    fn arguments(&self) -> Vec<EcoString> {
        self.arguments.clone()
    }

    fn packages(&self, _: &[&str]) -> BTreeMap<String, Vec<String>> {
        self.packages.clone()
    }
}

/// A shared store in memory, for one host.
#[derive(Default, Debug)]
pub struct MemoryShared(Mutex<SharedValues>);

#[derive(Default, Debug)]
struct SharedValues {
    values: BTreeMap<EcoString, EcoString>,
    by_host: BTreeMap<(EcoString, EcoString), EcoString>,
    schedules: BTreeMap<EcoString, Vec<EcoString>>,
    exports: BTreeMap<(EcoString, EcoString, EcoString), (Vec<EcoString>, EcoString)>,
}

impl MemoryShared {
    fn values(&self) -> MutexGuard<'_, SharedValues> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Sets or removes a global value.
    pub fn set(&self, key: &str, value: Option<EcoString>) {
        let mut values = self.values();
        match value {
            Some(value) => values.values.insert(key.into(), value),
            None => values.values.remove(key),
        };
    }

    /// Sets or removes the value of a host.
    pub fn set_by_host(&self, key: &str, host: &str, value: Option<EcoString>) {
        let key = (EcoString::from(key), EcoString::from(host));
        let mut values = self.values();
        match value {
            Some(value) => values.by_host.insert(key, value),
            None => values.by_host.remove(&key),
        };
    }

    /// Sets the hosts of a schedule.
    pub fn set_schedule(&self, namespace: &str, mut hosts: Vec<EcoString>) {
        hosts.sort();
        self.values().schedules.insert(namespace.into(), hosts);
    }

    /// Exports a resource to some hosts; `*` is all of them.
    pub fn export(&self, export: Export, hosts: Vec<EcoString>) {
        let key = (export.kind, export.name, export.host);
        self.values().exports.insert(key, (hosts, export.data));
    }
}

impl Shared for MemoryShared {
    fn get(&self, key: &str) -> Option<EcoString> {
        self.values().values.get(key).cloned()
    }

    fn get_by_host(&self, key: &str) -> BTreeMap<EcoString, EcoString> {
        let values = self.values();
        let from = (EcoString::from(key), EcoString::new());
        let found = values.by_host.range(from..).take_while(|((k, _), _)| k == key);
        found.map(|((_, host), value)| (host.clone(), value.clone())).collect()
    }

    fn set_of_host(&self, key: &str, host: &str, value: &str) -> bool {
        self.set_by_host(key, host, Some(value.into()));
        true
    }

    fn schedule(&self, namespace: &str) -> Vec<EcoString> {
        self.values().schedules.get(namespace).cloned().unwrap_or_default()
    }

    fn exports(&self, kind: &str, host: &str) -> Vec<Export> {
        let values = self.values();
        let from = (EcoString::from(kind), EcoString::new(), EcoString::new());
        let of_kind = values.exports.range(from..).take_while(|((k, ..), _)| k == kind);
        let is_for_host = |hosts: &[EcoString]| hosts.iter().any(|h| h == "*" || h == host);
        let found = of_kind.filter(|(_, (hosts, _))| is_for_host(hosts));
        found
            .map(|((kind, name, from), (_, data))| Export {
                kind: kind.clone(),
                name: name.clone(),
                host: from.clone(),
                data: data.clone(),
            })
            .collect()
    }
}
