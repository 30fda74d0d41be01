//! The machine that kinds act on: a root directory and a way to run commands.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ordain_graph::protected;
use ordain_graph::shared::{SharedKey, Space};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2};

use crate::system::deadline;
use crate::system::runner::{Invocation, Outcome, Runner};

/// Saves the state of paths before a run changes them, so that a rollback can restore it.
///
/// Only the first state of a path is saved.
pub trait BackupSink: Send + Sync {
    /// Saves the state of one path without its content. Messages use `name` for the path, if it is
    /// given.
    ///
    /// # Errors
    /// When it cannot be read or recorded: it should then not be changed.
    fn save_as(&self, host: &Host, path: &Path, name: Option<String>) -> io::Result<()>;

    /// Saves the state of one path without its content.
    ///
    /// # Errors
    /// As of [`BackupSink::save_as`].
    fn save(&self, host: &Host, path: &Path) -> io::Result<()>;

    /// Saves the state of a path and of everything below it.
    ///
    /// # Errors
    /// As of [`BackupSink::save_as`].
    fn save_tree(&self, host: &Host, path: &Path) -> io::Result<()>;

    /// The paths whose state was saved.
    fn paths(&self) -> Vec<PathBuf>;
}

/// The values that this host shares with others.
pub trait SharedValues: Send + Sync {
    /// Whether the store has answered. Until then copies of the values are in effect.
    fn is_known(&self) -> bool;

    /// The values of a name by host; that of no host has an empty one.
    fn values(&self, space: Space, name: &str) -> BTreeMap<String, String>;

    /// The exported resources of a kind.
    fn exports(&self, kind: &str) -> Vec<(SharedKey, String)>;

    /// Sets or removes a value, which ends after `ttl` seconds unless this host renews it.
    ///
    /// # Errors
    /// The reason why the store cannot be written.
    fn set(&self, key: &SharedKey, value: Option<&str>, ttl: Option<u64>) -> Result<(), String>;
}

/// Dangerous actions that the user allows.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AllowedActions {
    /// Paths of the machine that may be removed, replaced and emptied, even if the machine needs
    /// them or something is mounted there.
    pub remove: BTreeSet<PathBuf>,
    /// Whether owner and mode of a file may be changed if it has other hard links and another user
    /// can have created the managed one.
    pub hard_links: bool,
}

impl AllowedActions {
    /// Allows these paths in any notation.
    pub fn new(remove: impl IntoIterator<Item = impl AsRef<Path>>, hard_links: bool) -> Self {
        let normal = |path: &Path| PathBuf::from(protected::normal(&path.to_string_lossy()));
        Self { remove: remove.into_iter().map(|path| normal(path.as_ref())).collect(), hard_links }
    }
}

/// The machine.
pub struct Host {
    /// The root of its file system: `/`, or another directory.
    pub root: PathBuf,
    /// Runs commands.
    pub runner: Box<dyn Runner>,
    /// Backs up changed paths for a rollback.
    pub backups: Option<Arc<dyn BackupSink>>,
    /// Whether this process keeps running to keep the machine in the desired state: only then does
    /// it serve anything itself.
    pub stays: bool,
    /// Dangerous actions that the user allows.
    pub allowed: AllowedActions,
    /// The values that hosts share; without them, values are of this machine.
    pub shared: Option<Arc<dyn SharedValues>>,
    /// The exit code with which a resource ends the run.
    ending: OnceLock<u8>,
}

impl Host {
    /// A machine without backups.
    pub fn new(root: PathBuf, runner: Box<dyn Runner>) -> Self {
        Self {
            root,
            runner,
            backups: None,
            stays: false,
            allowed: AllowedActions::default(),
            shared: None,
            ending: OnceLock::new(),
        }
    }

    /// Requests the end of the run with this exit code. The first request wins.
    pub(crate) fn end_run(&self, code: u8) {
        // A resource that ran concurrently may have set another code.
        let _ = self.ending.set(code);
    }

    /// The exit code with which a resource ends the run, if any: nothing more should start.
    pub fn ending(&self) -> Option<u8> {
        self.ending.get().copied()
    }

    /// The real path of an absolute path of the machine.
    pub fn path(&self, path: &Path) -> PathBuf {
        if self.root == Path::new("/") {
            return path.to_path_buf();
        }
        let inner = path.components().filter(|c| matches!(c, Component::Normal(_)));
        inner.fold(self.root.clone(), |p, c| p.join(c))
    }

    /// The status of a path of the machine, with all links followed as the machine sees them.
    ///
    /// # Errors
    /// When the path does not exist or cannot be read.
    pub(crate) fn stat(&self, path: &Path) -> io::Result<Stat> {
        if self.root == Path::new("/") {
            return Ok(rustix::fs::stat(path)?);
        }
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let root = openat(CWD, &self.root, flags | OFlags::DIRECTORY, Mode::empty())?;
        let found = openat2(&root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT)?;
        Ok(fstat(&found)?)
    }

    /// Runs a command.
    ///
    /// # Errors
    /// See [`Runner::run`].
    pub fn run(&self, invocation: &Invocation) -> io::Result<Outcome> {
        deadline::run(invocation, |invocation| self.runner.run(invocation))
    }
}
