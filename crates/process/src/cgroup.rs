//! A control group for the programs of a supervisor, where one can be created.
//!
//! The supervisor moves into its own group before it starts a program, so that all descendants
//! start there. The kernel kills a group as a whole, including processes that are forked at that
//! moment, and those that changed their user.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::getxattr;

use crate::tree;

/// The program name of a supervisor. A process with this name has to call
/// [`crate::supervisor::main`] and nothing else.
pub const NAME: &str = "command-supervisor";

/// The maximum number of searches for processes in a group before it is left.
const MAX_ROUNDS: usize = 20;

/// A control group with one supervisor.
pub(crate) struct Group {
    path: PathBuf,
    /// The previous group of the supervisor, and the group of surviving daemons.
    parent: PathBuf,
}

impl Group {
    /// Creates a group below that of this process, and moves the process there. `None` without
    /// cgroup version 2 or write access, or if a service manager has not delegated the group.
    pub(crate) fn enter() -> Option<Self> {
        let parent = own()?;
        if !is_handed_over(&parent) {
            return None;
        }
        remove_abandoned(&parent);
        let group = Self { path: path(&parent, std::process::id()), parent };
        fs::create_dir(&group.path).ok()?;
        if join(&group.path, "0").is_err() {
            let _ = fs::remove_dir(&group.path);
            return None;
        }
        Some(group)
    }

    /// Kills everything in the group except this process, if the kernel supports it.
    pub(crate) fn kill(&self) {
        // Older kernels cannot kill a group; the caller kills its processes one by one.
        let _ = join(&self.parent, "0").and_then(|()| kill(&self.path));
        let _ = join(&self.path, "0");
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let members = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
            if members.is_empty() {
                break;
            }
            // One that has ended meanwhile is no error.
            members.lines().for_each(|pid| drop(join(&self.parent, pid)));
        }
        // A group that cannot be removed does no harm.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Kills the programs of a killed supervisor of this process.
pub(crate) fn kill_group_of(supervisor: u32) {
    let Some(path) = own().map(|parent| path(&parent, supervisor)) else { return };
    let _ = kill(&path);
    let _ = fs::remove_dir(&path);
}

/// Removes the groups of supervisors that were killed before they could do so. A group with a
/// process cannot be removed.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let supervisor = name.to_str().and_then(|name| name.strip_prefix(NAME)?.strip_prefix('-'));
        let supervisor = supervisor.and_then(|number| number.parse().ok());
        if supervisor.is_some_and(|number| !tree::is_alive(number)) {
            // A directory that cannot be removed now is removed by a later supervisor.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn path(parent: &Path, supervisor: u32) -> PathBuf {
    parent.join(format!("{NAME}-{supervisor}"))
}

fn join(group: &Path, pid: &str) -> io::Result<()> {
    write(&group.join("cgroup.procs"), pid)
}

fn kill(group: &Path) -> io::Result<()> {
    write(&group.join("cgroup.kill"), "1")
}

/// Writes a file that is there.
fn write(path: &Path, text: &str) -> io::Result<()> {
    io::Write::write_all(&mut fs::OpenOptions::new().write(true).open(path)?, text.as_bytes())
}

/// The directory of this process's group.
fn own() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let name = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let (root, place) = (fields.next()?, fields.next()?);
        // A partial view of the groups has other groups at its path.
        let is_whole = system.starts_with("cgroup2 ") && root == "/";
        is_whole.then(|| Path::new(place).join(name))
    })
}

/// Whether a service manager has delegated this group, so that groups may be created below it.
fn is_handed_over(group: &Path) -> bool {
    let is_said = |name: &str| {
        let mut value = [0; 1];
        getxattr(group, name, &mut value[..]).is_ok() && value == *b"1"
    };
    !Path::new("/run/systemd/system").exists()
        || is_said("trusted.delegate")
        || is_said("user.delegate")
}
