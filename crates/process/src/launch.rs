//! The description of a program to start.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};

use rustix::fs::{Gid, Mode, Uid};
use rustix::process::{geteuid, umask};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

use crate::read_only::restrict;

/// A program that is to be started.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Launch {
    /// Program and arguments.
    pub argv: Vec<OsString>,
    /// Its environment; `None` for that of this process.
    pub env: Option<Vec<(OsString, OsString)>>,
    /// Variables that are added to the environment.
    pub set_env: Vec<(OsString, OsString)>,
    /// Its working directory; `None` for that of this process.
    pub cwd: Option<PathBuf>,
    /// The user that the program runs as.
    pub run_as: Option<RunAs>,
    /// Its umask.
    pub umask: Option<u32>,
    /// The policy for descendants that it leaves behind when it ends by itself.
    pub orphans: OrphanPolicy,
    /// The directories that it may change; `None` for all. It has no effect if neither this process
    /// nor its supervisor can make mount namespaces.
    pub writes_only: Option<Vec<PathBuf>>,
}

/// An identity for a program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RunAs {
    /// User id.
    pub uid: u32,
    /// Group id.
    pub gid: u32,
    /// Supplementary groups; `None` for those of this process.
    pub groups: Option<Vec<u32>>,
}

/// The policy for descendants that a program leaves behind when it ends by itself. A killed program
/// leaves none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum OrphanPolicy {
    /// They keep running, such as a daemon that was started on purpose.
    #[default]
    Stay,
    /// They are killed when it ends.
    End,
    /// It counts as ended when the last of them has ended.
    Await,
}

/// Standard input, output and error.
pub(crate) type Stdio = [OwnedFd; 3];

/// Whether the process has only this thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    One,
    Many,
}

impl Launch {
    /// Starts the program as a child of this process, in its own process group.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn spawn(
        &self,
        [stdin, stdout, stderr]: Stdio,
        threads: Threads,
    ) -> io::Result<Child> {
        let mut command = self.command(threads)?;
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        // The umask belongs to the whole process: only a process without other threads may change
        // it.
        let mask = self.umask.filter(|_| threads == Threads::One);
        let before = mask.map(|mask| umask(Mode::from_raw_mode(mask)));
        let child = match (&self.run_as, &self.writes_only) {
            (None, None) => command.spawn(),
            (identity, writable) => spawn_as(&mut command, identity.as_ref(), writable.as_deref()),
        };
        if let Some(before) = before {
            umask(before);
        }
        child
    }

    fn command(&self, threads: Threads) -> io::Result<Command> {
        let mut argv: Vec<OsString> = Vec::new();
        if let Some(umask) = self.umask.filter(|_| threads == Threads::Many) {
            // A shell sets it in the child.
            let script = format!("umask {umask:04o}; exec \"$@\"");
            argv.extend(["/bin/sh", "-c", &script, "sh"].map(OsString::from));
        }
        argv.extend(self.argv.iter().cloned());
        let Some((program, args)) = argv.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "empty command"));
        };
        let mut command = Command::new(program);
        command.args(args).process_group(0);
        if let Some(env) = &self.env {
            command.env_clear().envs(env.iter().map(|(k, v)| (k, v)));
        }
        command.envs(self.set_env.iter().map(|(k, v)| (k, v)));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        Ok(command)
    }
}

/// Starts a command from a new thread that first takes on the identity and the restriction. A child
/// inherits both from its thread, and this is the only way to set several groups.
fn spawn_as(
    command: &mut Command,
    identity: Option<&RunAs>,
    writable: Option<&[PathBuf]>,
) -> io::Result<Child> {
    let start = || {
        if let Some(writable) = writable {
            // Without the privilege, the program can change everything that its user can.
            let _ = restrict(writable);
        }
        if let Some(identity) = identity {
            take_on(identity)?;
        }
        command.spawn()
    };
    std::thread::scope(|scope| scope.spawn(start).join())
        .unwrap_or_else(|_| Err(io::Error::other("the thread that starts the command ended")))
}

/// Gives this thread an identity.
fn take_on(identity: &RunAs) -> io::Result<()> {
    if let Some(groups) = identity.groups.as_ref().filter(|_| geteuid().is_root()) {
        let groups: Vec<Gid> = groups.iter().copied().map(Gid::from_raw).collect();
        set_thread_groups(&groups)?;
    }
    set_thread_gid(Gid::from_raw(identity.gid))?;
    set_thread_uid(Uid::from_raw(identity.uid))?;
    Ok(())
}
