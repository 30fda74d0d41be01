//! Values that hosts share through a store: mgmt's `kv`, elections, exported resources of programs.
//!
//! A [`Cluster`] has the values of a store in memory, and copies of them in files of the machine.
//! Programs and resources read the memory, and watch the files. Without the store they go on with
//! the last values. Only the store's order of revisions counts, so a lost notice costs time only.

mod address;
mod etcd;
mod http;
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ordain_graph::shared::{
    SharedChanges, SharedGuard, SharedKey, SharedStore, SharedStoreError, SharedWrite, Space,
};

pub use crate::system::election::{DEFAULT_TTL, Options as CandidateOptions, Strategy};
pub use etcd::Etcd;
pub use server::ServerStore;

use crate::kinds::shared::shared_kv::{Copies, Group, hosts};
use crate::system::election::elect;
use crate::system::host::{Host, SharedValues};

/// The longest time for which a store is asked to wait for changes.
const HOLD: Duration = Duration::from_secs(25);
/// The pauses after failures: the first one, and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(3));
/// How often an election is tried again because another host was faster.
const MAX_TRIES: usize = 10;

/// The values of a store as a host sees them.
pub struct Cluster {
    store: Arc<dyn SharedStore>,
    /// The name of this host.
    name: String,
    /// The machine with copies of the values in files, unless nothing may be written.
    copies: Option<Host>,
    state: Mutex<State>,
    /// One reader of the store at a time, so that changes are taken in order.
    turn: Mutex<()>,
    is_followed: AtomicBool,
    /// The names that were read.
    reads: Mutex<BTreeSet<(Space, String)>>,
}

#[derive(Default)]
struct State {
    /// The revision of the values; `None` before the store has answered.
    revision: Option<i64>,
    /// The values by key, each with the revision of its last change.
    values: BTreeMap<SharedKey, (String, i64)>,
    /// The reason why the store does not answer, until it does.
    problem: Option<String>,
    renewed: Option<Instant>,
}

impl std::fmt::Debug for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster").field("name", &self.name).field("store", &self.store).finish()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cluster {
    /// The values of a store for the host with this name, read once. `copies` is the machine that
    /// gets copies of them. If the store does not answer, the copies of before are in effect:
    /// [`Cluster::problem`].
    pub fn open(store: Arc<dyn SharedStore>, name: &str, copies: Option<Host>) -> Arc<Self> {
        let cluster = Arc::new(Self {
            store,
            name: name.to_owned(),
            copies,
            state: Mutex::default(),
            turn: Mutex::default(),
            is_followed: AtomicBool::new(false),
            reads: Mutex::default(),
        });
        // The reason is kept as the problem.
        let _ = cluster.sync();
        cluster
    }

    /// The reason why the store does not answer.
    pub fn problem(&self) -> Option<String> {
        lock(&self.state).problem.clone()
    }

    /// The revision of the values; `None` if the store has not answered yet.
    pub fn revision(&self) -> Option<i64> {
        lock(&self.state).revision
    }

    /// The names that were read: keys and namespaces, and for exports their kinds.
    pub fn reads(&self) -> BTreeSet<(Space, String)> {
        lock(&self.reads).clone()
    }

    /// Reads the changes of the store, and holds the elections that they cause.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn sync(&self) -> Result<(), SharedStoreError> {
        let result = self.read(Duration::ZERO).and_then(|touched| self.elect(touched));
        self.note(&result);
        result
    }

    /// Keeps the values up to date in a thread that ends with this cluster. Also renews what this
    /// host has written for a time.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn follow(self: &Arc<Self>) -> io::Result<()> {
        if self.is_followed.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let cluster = Arc::downgrade(self);
        let follow = move || {
            let mut pause = BACKOFF.0;
            while let Some(cluster) = cluster.upgrade() {
                let result = cluster.step();
                cluster.note(&result);
                drop(cluster);
                if result.is_ok() {
                    pause = BACKOFF.0;
                } else {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(BACKOFF.1);
                }
            }
        };
        std::thread::Builder::new().name("shared values".into()).spawn(follow).map(drop)
    }

    /// Withdraws the candidacies of this host that end with it.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn leave(&self) -> Result<(), SharedStoreError> {
        let mine = self.candidacies();
        let ending = mine.into_iter().filter(|(_, options)| options.ends_with_host());
        let writes: Vec<SharedWrite> =
            ending.map(|(key, _)| SharedWrite { key, value: None, ttl: None }).collect();
        if writes.is_empty() {
            return Ok(());
        }
        self.store.write(&self.name, &writes, None)?;
        let namespaces = writes.into_iter().map(|write| write.key.name).collect();
        self.read(Duration::ZERO)?;
        self.elect(namespaces)
    }

    /// Replaces the resources that this host exports, each as the name `KIND/NAME` with its value.
    ///
    /// # Errors
    /// When the store does not answer or refuses.
    pub fn export(&self, exports: &BTreeMap<String, String>) -> Result<(), SharedStoreError> {
        if lock(&self.state).revision.is_none() {
            self.sync()?;
        }
        let is_mine = |key: &SharedKey| key.space == Space::Export && key.host == self.name;
        let old: BTreeMap<String, String> = {
            let state = lock(&self.state);
            let mine = state.values.iter().filter(|(key, _)| is_mine(key));
            mine.map(|(key, (value, _))| (key.name.clone(), value.clone())).collect()
        };
        let write = |name: &String, value: Option<&String>| SharedWrite {
            key: SharedKey::new(Space::Export, name, &self.name),
            value: value.cloned(),
            ttl: None,
        };
        let gone = old.keys().filter(|name| !exports.contains_key(*name));
        let new = exports.iter().filter(|(name, value)| old.get(*name) != Some(value));
        let writes: Vec<SharedWrite> = gone
            .map(|name| write(name, None))
            .chain(new.map(|(name, value)| write(name, Some(value))))
            .collect();
        if writes.is_empty() {
            return Ok(());
        }
        self.store.write(&self.name, &writes, None)?;
        self.sync()
    }

    /// One round of the thread: renews, waits for changes, and takes them.
    fn step(&self) -> Result<(), SharedStoreError> {
        let ttls: BTreeSet<u64> =
            self.candidacies().iter().filter_map(|(_, options)| options.lease()).collect();
        // Two renewals may be lost.
        let interval = ttls.first().map(|ttl| Duration::from_secs(*ttl) / 3);
        let mut at_most = HOLD;
        if let Some(interval) = interval {
            let renewed = lock(&self.state).renewed;
            if renewed.is_none_or(|renewed| renewed.elapsed() >= interval) {
                for ttl in ttls {
                    self.store.renew(&self.name, ttl)?;
                }
                lock(&self.state).renewed = Some(Instant::now());
            }
            at_most = at_most.min(interval);
        }
        let touched = self.read(at_most)?;
        self.elect(touched)
    }

    fn note(&self, result: &Result<(), SharedStoreError>) {
        lock(&self.state).problem = result.as_ref().err().map(ToString::to_string);
    }

    /// The candidacies of this host.
    fn candidacies(&self) -> Vec<(SharedKey, CandidateOptions)> {
        let state = lock(&self.state);
        let is_mine = |key: &SharedKey| key.space == Space::Candidate && key.host == self.name;
        let mine = state.values.iter().filter(|(key, _)| is_mine(key));
        mine.map(|(key, (value, _))| (key.clone(), CandidateOptions::parse(value))).collect()
    }

    /// Waits for changes and takes them. Returns the namespaces of changed elections.
    fn read(&self, at_most: Duration) -> Result<BTreeSet<String>, SharedStoreError> {
        // A reader that does not wait for news must not wait for the thread that does.
        let waited = if at_most.is_zero() {
            None
        } else {
            let after = lock(&self.state).revision;
            Some((after, self.store.changes(after, at_most)?))
        };
        let _turn = lock(&self.turn);
        let after = lock(&self.state).revision;
        let changes = match waited {
            Some((known, changes)) if known == after => changes,
            // Another thread has read meanwhile.
            Some(_) => return Ok(BTreeSet::new()),
            None => self.store.changes(after, Duration::ZERO)?,
        };
        Ok(self.take(changes))
    }

    /// Takes changes, and writes the copies of changed values.
    fn take(&self, changes: SharedChanges) -> BTreeSet<String> {
        let mut touched: BTreeSet<Group> = BTreeSet::new();
        let mut state = lock(&self.state);
        let state = &mut *state;
        state.revision = Some(changes.revision);
        if changes.is_complete {
            let old = std::mem::take(&mut state.values);
            touched.extend(old.keys().map(Group::of));
        }
        for entry in changes.entries {
            touched.insert(Group::of(&entry.key));
            match entry.value {
                Some(value) => state.values.insert(entry.key, (value, entry.revision)),
                None => state.values.remove(&entry.key),
            };
        }
        if let Some(machine) = &self.copies {
            let copies = Copies::new(machine);
            for group in &touched {
                let values = state.values.iter().filter(|(key, _)| Group::of(key) == *group);
                let values = values.map(|(key, (value, _))| (key, value.as_str()));
                // Without a copy this value is not known after a restart without the store.
                let _ = copies.write(group, values);
            }
            if changes.is_complete {
                copies.retain(&touched);
            }
        }
        let election = |group| if let Group::Election(name) = group { Some(name) } else { None };
        touched.into_iter().filter_map(election).collect()
    }

    /// Holds the elections of namespaces in which this host is a candidate, or nobody is.
    fn elect(&self, namespaces: BTreeSet<String>) -> Result<(), SharedStoreError> {
        for namespace in namespaces {
            for _ in 0..MAX_TRIES {
                let Some((elected, guard)) = self.next_result(&namespace) else { break };
                let value = (!elected.is_empty())
                    .then(|| serde_json::to_string(&elected).unwrap_or_default());
                let write = SharedWrite { key: guard.key.clone(), value, ttl: None };
                let is_done = self.store.write(&self.name, &[write], Some(&guard))?;
                self.read(Duration::ZERO)?;
                if is_done {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The result of an election, if it is another one than before, and the condition of its write.
    fn next_result(&self, namespace: &str) -> Option<(Vec<String>, SharedGuard)> {
        let candidates = self.values(Space::Candidate, namespace);
        if !candidates.is_empty() && !candidates.contains_key(&self.name) {
            return None;
        }
        let key = SharedKey::new(Space::Elected, namespace, "");
        let found = lock(&self.state).values.get(&key).cloned();
        let (last, revision) = found.unwrap_or_default();
        let last = hosts(&last);
        let elected = elect(&candidates, &last);
        (elected != last).then_some((elected, SharedGuard { key, revision }))
    }
}

impl SharedValues for Cluster {
    fn is_known(&self) -> bool {
        lock(&self.state).revision.is_some()
    }

    fn values(&self, space: Space, name: &str) -> BTreeMap<String, String> {
        let from = SharedKey::new(space, name, "");
        lock(&self.reads).insert((space, name.to_owned()));
        let state = lock(&self.state);
        let found = state.values.range(from..);
        let found = found.take_while(|(key, _)| key.space == space && key.name == name);
        found.map(|(key, (value, _))| (key.host.clone(), value.clone())).collect()
    }

    fn exports(&self, kind: &str) -> Vec<(SharedKey, String)> {
        let prefix = format!("{kind}/");
        let from = SharedKey::new(Space::Export, &prefix, "");
        lock(&self.reads).insert((Space::Export, kind.to_owned()));
        let state = lock(&self.state);
        let found = state.values.range(from..);
        let is_of_kind =
            |key: &SharedKey| key.space == Space::Export && key.name.starts_with(&prefix);
        let found = found.take_while(|(key, _)| is_of_kind(key));
        found.map(|(key, (value, _))| (key.clone(), value.clone())).collect()
    }

    fn set(&self, key: &SharedKey, value: Option<&str>, ttl: Option<u64>) -> Result<(), String> {
        let write = SharedWrite { key: key.clone(), value: value.map(str::to_owned), ttl };
        let written = self.store.write(&self.name, &[write], None);
        let done = written.and_then(|_| {
            let mut touched = self.read(Duration::ZERO)?;
            if key.space == Space::Candidate {
                touched.insert(key.name.clone());
            }
            self.elect(touched)
        });
        self.note(&done);
        done.map_err(|error| error.to_string())
    }
}
