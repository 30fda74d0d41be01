//! A control group for the programs of a supervisor, where one can be created.
//!
//! The supervisor moves into a group of its own before it starts a program, so that all that
//! descends from it is born there. The kernel kills a group as a whole: also processes that are
//! forked at that moment, and those that changed their user.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::getxattr;

use crate::tree;

/// The name of a supervisor as a program. A process that is started under this name has to call
/// [`crate::supervisor::main`] and nothing else.
pub const NAME: &str = "command-supervisor";

/// How often it is looked for processes in a group that is to be left.
const ROUNDS: usize = 20;

/// A control group with one supervisor.
pub(crate) struct Group {
    path: PathBuf,
    /// Where the supervisor was before, and where daemons go that live on.
    parent: PathBuf,
}

impl Group {
    /// Makes a group below that of this process, and moves the process there. `None` where there are
    /// no groups of the second version, they may not be written, or they are a service manager's that
    /// does not hand them over.
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

    /// Kills all that is in the group but this process, where the kernel does that.
    pub(crate) fn kill(&self) {
        // Older kernels know groups and not how to kill one; the caller kills one by one.
        let _ = join(&self.parent, "0").and_then(|()| kill(&self.path));
        let _ = join(&self.path, "0");
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for _ in 0..ROUNDS {
            let members = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
            if members.is_empty() {
                break;
            }
            // One that has ended meanwhile is no error.
            members.lines().for_each(|pid| drop(join(&self.parent, pid)));
        }
        // A group that cannot be left stays where it is and does no harm.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Kills the programs of a supervisor of this process that was killed itself.
pub(crate) fn kill_group_of(supervisor: u32) {
    let Some(path) = own().map(|parent| path(&parent, supervisor)) else { return };
    let _ = kill(&path);
    let _ = fs::remove_dir(&path);
}

/// Removes the groups of supervisors that were killed before they could do so. One that still has a
/// process cannot be removed.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let supervisor = name.to_str().and_then(|name| name.strip_prefix(NAME)?.strip_prefix('-'));
        let supervisor = supervisor.and_then(|number| number.parse().ok());
        if supervisor.is_some_and(|number| !tree::is_alive(number)) {
            // A directory that is not removed now is removed by a later supervisor.
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

/// The directory of the group that this process is in.
fn own() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let name = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let (root, place) = (fields.next()?, fields.next()?);
        // One that shows a part of the groups only has others at its place.
        let is_whole = system.starts_with("cgroup2 ") && root == "/";
        is_whole.then(|| Path::new(place).join(name))
    })
}

/// Whether groups may be made below this one: service managers want to be the only ones, and say
/// where they are not.
fn is_handed_over(group: &Path) -> bool {
    let is_said = |name: &str| {
        let mut value = [0; 1];
        getxattr(group, name, &mut value[..]).is_ok() && value == *b"1"
    };
    !Path::new("/run/systemd/system").exists()
        || is_said("trusted.delegate")
        || is_said("user.delegate")
}
