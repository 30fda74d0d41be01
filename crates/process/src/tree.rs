//! The processes that descend from this one.

use std::collections::BTreeMap;
use std::io;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, pidfd_open,
    pidfd_send_signal, wait, waitid, waitpid,
};

/// The children of this process that ended.
#[derive(Default)]
pub(crate) struct ChildExits {
    /// The wait status of the main process, if it ended.
    pub(crate) status: Option<i32>,
    /// Whether none is left.
    pub(crate) is_empty: bool,
}

/// Collects all ended children, including inherited ones.
pub(crate) fn reap(main: u32) -> ChildExits {
    let mut exits = ChildExits::default();
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => {
                if number(pid) == main {
                    exits.status = Some(status.as_raw());
                }
            }
            Ok(None) => return exits,
            Err(Errno::INTR) => {}
            Err(_) => {
                exits.is_empty = true;
                return exits;
            }
        }
    }
}

/// Collects the children that another program left in this process before it replaced itself by
/// this one (`exec`). Without a collector they would stay as zombies.
pub(crate) fn collect_inherited() {
    let any = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // Nearly always there is none.
    if waitid(WaitId::All, any).is_err() {
        return;
    }
    let own = std::process::id();
    for child in processes().filter(|pid| read_stat(*pid).is_some_and(|stat| stat.parent == own)) {
        let Some(pid) = i32::try_from(child).ok().and_then(Pid::from_raw) else { continue };
        let collect = move || {
            while matches!(waitpid(Some(pid), WaitOptions::empty()), Err(Errno::INTR)) {}
        };
        // Without a thread the child stays a zombie, and nothing else happens.
        let _ = std::thread::Builder::new().name("inherited-child".to_owned()).spawn(collect);
    }
}

/// The ids of all processes.
fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The id of a process, which is never negative.
pub(crate) fn number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().unsigned_abs()
}

/// Kills all descendants of this process. Returns whether there was one that it may kill.
pub(crate) fn kill_descendants() -> bool {
    let mut is_any = false;
    for (pid, started) in descendants(std::process::id()) {
        is_any |= kill(pid, started).is_ok();
    }
    is_any
}

/// Kills a child of this process whose status was not collected yet.
pub(crate) fn kill_child(number: u32) -> io::Result<()> {
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    Ok(kill_process(pid.ok_or(io::ErrorKind::InvalidInput)?, Signal::KILL)?)
}

/// Kills a process, if the id still belongs to the one with this start time.
fn kill(number: u32, started: u64) -> io::Result<()> {
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    match pidfd_open(pid, PidfdFlags::empty()) {
        // The id belongs to the descriptor's process if that existed when the start time was read.
        Ok(process) if stat(number).is_some_and(|stat| stat.started == started) => {
            Ok(pidfd_send_signal(process, Signal::KILL)?)
        }
        Ok(_) => Ok(()),
        Err(Errno::SRCH) => Ok(()),
        Err(_) => Ok(kill_process(pid, Signal::KILL)?),
    }
}

struct Stat {
    is_zombie: bool,
    parent: u32,
    /// In clock ticks since the boot.
    started: u64,
}

/// Whether a process with this id exists and has not ended.
pub(crate) fn is_alive(number: u32) -> bool {
    stat(number).is_some()
}

/// The status of a process; `None` if it has ended.
fn stat(pid: u32) -> Option<Stat> {
    read_stat(pid).filter(|stat| !stat.is_zombie)
}

/// The status of a process, which may be a zombie.
fn read_stat(pid: u32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The preceding name may contain anything, including brackets.
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let (state, parent) = (fields.next()?, fields.next()?);
    let started = fields.nth(17)?.parse().ok()?;
    Some(Stat { is_zombie: state == "Z", parent: parent.parse().ok()?, started })
}

/// The ids of all descendants of a process, with their start times.
fn descendants(of: u32) -> Vec<(u32, u64)> {
    let mut children: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
    for pid in processes() {
        if let Some(stat) = stat(pid) {
            children.entry(stat.parent).or_default().push((pid, stat.started));
        }
    }
    let mut found: Vec<(u32, u64)> = children.remove(&of).unwrap_or_default();
    let mut next = 0;
    while let Some(&(pid, _)) = found.get(next) {
        found.extend(children.remove(&pid).unwrap_or_default());
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn grandchildren_descend_from_this_process() {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "sleep 100 & echo; wait"]).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let found = descendants(child.id());
        assert_eq!(found.len(), 1);
        assert!(descendants(std::process::id()).contains(&found[0]));
        // A process with another start time has taken over the id.
        kill(found[0].0, found[0].1 + 1).unwrap();
        assert_eq!(descendants(child.id()), found);
        kill(found[0].0, found[0].1).unwrap();
        child.wait().unwrap();
    }
}
