//! The machine that kinds act on: a root directory and a way to run commands.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use ordain_process::{RunAs, Running};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2};

use crate::deadline;
use crate::kinds::walk::resolve;
use crate::past::Backups;
use crate::runner;
use crate::safety::Allowed;

/// A command that a kind runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Invocation {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// The whole environment for the child, if not this process's.
    pub env: Option<Vec<(OsString, OsString)>>,
    /// Variables set on top of it.
    pub set_env: Vec<(OsString, OsString)>,
    /// Working directory.
    pub cwd: Option<PathBuf>,
    /// Whom to run as.
    pub run_as: Option<RunAs>,
    /// The umask for the child.
    pub umask: Option<u32>,
    /// Input text.
    pub stdin: Vec<u8>,
    /// Standard error is written into standard output, in the order of the writes.
    pub merge_stderr: bool,
    /// It is killed with all that it started after this time; `None` waits for ever.
    pub timeout: Option<Duration>,
}

impl Invocation {
    /// A command of program and arguments, five minutes at most.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            timeout: Some(Duration::from_secs(300)),
            ..Self::default()
        }
    }
}

/// How a command ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Exit status; 128 + n if signal n ended it.
    pub status: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// Whether the status is 0.
    pub fn success(&self) -> bool {
        self.status == 0
    }

    /// Standard output as text.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Runs commands; tests put a recorded one in its place.
pub trait Runner: Send + Sync {
    /// Runs a command to its end.
    ///
    /// # Errors
    /// When it cannot be started, or [`io::ErrorKind::TimedOut`].
    fn run(&self, invocation: &Invocation) -> io::Result<Outcome>;

    /// Starts a command with this standard input, output and error, and does not wait for it. What
    /// it leaves behind when it ends is ended.
    ///
    /// # Errors
    /// When it cannot be started.
    fn start(&self, invocation: &Invocation, stdio: [OwnedFd; 3]) -> io::Result<Running> {
        runner::start(invocation, stdio)
    }
}

/// The machine.
pub struct Host {
    /// Where its file system begins: `/`, or a directory that stands for it.
    pub root: PathBuf,
    /// Runs commands.
    pub runner: Box<dyn Runner>,
    /// Keeps what is changed, so that it can be put back.
    pub backups: Option<Arc<Backups>>,
    /// Whether this process stays to keep the machine as it shall be: only then does it serve
    /// anything itself.
    pub stays: bool,
    /// What may be done though it is dangerous.
    pub allowed: Allowed,
    /// The code that a resource wants the run to end with.
    ending: OnceLock<u8>,
}

impl Host {
    /// A machine of which nothing is kept.
    pub fn new(root: PathBuf, runner: Box<dyn Runner>) -> Self {
        Self {
            root,
            runner,
            backups: None,
            stays: false,
            allowed: Allowed::default(),
            ending: OnceLock::new(),
        }
    }

    /// Asks for the end of the run, with this exit code. The first who asks is heard.
    pub(crate) fn end_run(&self, code: u8) {
        // Another code is from a resource that was worked on at the same time.
        let _ = self.ending.set(code);
    }

    /// The code that a resource wants the run to end with, if one does: nothing more shall begin.
    pub fn ending(&self) -> Option<u8> {
        self.ending.get().copied()
    }

    /// Says that what stands at a path of the machine is about to change; with `follow` what a link
    /// there leads to.
    ///
    /// # Errors
    /// When it could not be kept; it should then not be changed.
    pub(crate) fn keep(&self, path: &Path, follow: bool) -> io::Result<()> {
        let Some(backups) = &self.backups else { return Ok(()) };
        let real = if follow { self.followed(path)? } else { path.to_path_buf() };
        backups.keep(self, &real)
    }

    /// The same for a directory and all that is below it.
    ///
    /// # Errors
    /// As of [`Host::keep`].
    pub(crate) fn keep_tree(&self, path: &Path) -> io::Result<()> {
        self.backups.as_ref().map_or(Ok(()), |backups| backups.keep_tree(self, path))
    }

    /// The path of the machine that a path leads to.
    fn followed(&self, path: &Path) -> io::Result<PathBuf> {
        let place = resolve(self, path, true)?;
        let dir = std::fs::read_link(format!("/proc/self/fd/{}", place.dir.as_fd().as_raw_fd()))?;
        let root = std::fs::canonicalize(&self.root)?;
        let below = dir.strip_prefix(&root).map_err(io::Error::other)?;
        Ok(Path::new("/").join(below).join(&place.name))
    }

    /// The real path of an absolute path of the machine.
    pub fn path(&self, path: &Path) -> PathBuf {
        if self.root == Path::new("/") {
            return path.to_path_buf();
        }
        let inner = path.components().filter(|c| matches!(c, Component::Normal(_)));
        inner.fold(self.root.clone(), |p, c| p.join(c))
    }

    /// What stands at a path of the machine, with all links followed as the machine sees them.
    ///
    /// # Errors
    /// When nothing does, or it cannot be looked at.
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
