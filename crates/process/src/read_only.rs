//! A program that may change only some directories.
//!
//! The program gets a mount namespace of its own, in which all other file systems are read-only. So
//! neither it nor its descendants can write, remove, rename, or change owners, modes and times there,
//! whatever their user. Devices, sockets and the network are not affected. Without `CAP_SYS_ADMIN`,
//! the process first makes a user namespace, which not every kernel permits.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rustix::process::{getegid, geteuid};

const NONE: Option<&str> = None;

/// Options of a mount that stay as they are.
const KEPT: [(&str, MsFlags); 6] = [
    ("nosuid", MsFlags::MS_NOSUID),
    ("nodev", MsFlags::MS_NODEV),
    ("noexec", MsFlags::MS_NOEXEC),
    ("noatime", MsFlags::MS_NOATIME),
    ("nodiratime", MsFlags::MS_NODIRATIME),
    ("relatime", MsFlags::MS_RELATIME),
];

/// Like [`restrict`], for a user without privileges. The whole process enters a user namespace, in
/// which only its own user and group are mapped and set-user-ID programs have no effect.
///
/// # Errors
/// When the kernel refuses, or this process has several threads. The process may then already be in
/// the namespace and must not be used any more.
pub(crate) fn restrict_as_user(writable: &[PathBuf]) -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // Without this, the kernel refuses the map of groups.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    restrict(writable)
}

/// Makes everything but `writable` read-only for this thread and for the programs that it starts.
/// Paths that do not exist are ignored.
///
/// # Errors
/// When this process lacks the privilege, or the kernel refuses.
pub(crate) fn restrict(writable: &[PathBuf]) -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)?;
    let writable: Vec<PathBuf> =
        writable.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for path in &writable {
        mount(Some(path), path, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)?;
    }
    let table = std::fs::read("/proc/thread-self/mountinfo")?;
    for line in table.split(|byte| *byte == b'\n') {
        let Some((point, options)) = fields(line) else { continue };
        if writable.iter().any(|path| point.starts_with(path)) {
            continue;
        }
        match mount(NONE, &point, NONE, flags(&options), NONE) {
            // Another mount hides it, or the program cannot access its path either.
            Ok(()) | Err(Errno::ENOENT | Errno::EINVAL | Errno::EACCES) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // A file system that is still writable would appear here.
    let is_restricted = nix::sys::statvfs::statvfs(Path::new("/"))
        .is_ok_and(|about| about.flags().contains(nix::sys::statvfs::FsFlags::ST_RDONLY));
    let is_exempt = writable.iter().any(|path| path == Path::new("/"));
    if is_restricted || is_exempt { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
}

fn flags(options: &str) -> MsFlags {
    let kept = KEPT.iter().filter(|(name, _)| options.split(',').any(|option| option == *name));
    let kept = kept.fold(MsFlags::empty(), |all, (_, flag)| all | *flag);
    kept | MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY
}

/// The mount point and the options of a line of `mountinfo`.
fn fields(line: &[u8]) -> Option<(PathBuf, String)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let point = unescape(fields.next()?);
    let options = String::from_utf8_lossy(fields.next()?).into_owned();
    Some((PathBuf::from(OsString::from_vec(point)), options))
}

/// Decodes the octal escapes in a path.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let digits = after.get(..3).filter(|_| byte == b'\\');
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(code) => {
                out.push(code);
                rest = after.get(3..).unwrap_or_default();
            }
            None => out.push(byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Read;
    use std::os::fd::OwnedFd;

    use super::*;
    use crate::launch::{Launch, Threads};

    #[test]
    fn mount_points_are_read() {
        let line = b"36 35 98:0 / /a\\040b rw,nosuid,relatime shared:1 - ext4 /dev/x rw";
        let (point, options) = fields(line).unwrap();
        assert_eq!((point, options.as_str()), (PathBuf::from("/a b"), "rw,nosuid,relatime"));
        assert!(flags("rw,nosuid").contains(MsFlags::MS_NOSUID | MsFlags::MS_RDONLY));
    }

    #[test]
    fn a_program_changes_only_what_it_may() {
        if !geteuid().is_root() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let (open, closed) = (dir.path().join("open"), dir.path().join("closed"));
        std::fs::create_dir_all(&open).unwrap();
        std::fs::create_dir_all(&closed).unwrap();
        let script =
            "touch open/a; touch closed/a; chmod 0700 closed; echo x > /dev/null; echo end";
        let (mut reader, writer) = io::pipe().unwrap();
        let copy = || OwnedFd::from(writer.try_clone().unwrap());
        let launch = Launch {
            argv: ["/bin/sh", "-c", script].map(OsString::from).to_vec(),
            cwd: Some(dir.path().to_path_buf()),
            writes_only: Some(vec![open.clone()]),
            ..Launch::default()
        };
        let mut child = launch.spawn([copy(), copy(), copy()], Threads::Many).unwrap();
        drop(writer);
        let mut output = String::new();
        reader.read_to_string(&mut output).unwrap();
        child.wait().unwrap();
        if restrict_is_possible() {
            assert!(
                output.contains("Read-only file system") && output.ends_with("end\n"),
                "{output}"
            );
            assert!(!closed.join("a").exists());
        }
        assert!(open.join("a").exists());
    }

    /// Whether this process may create namespaces, which containers often forbid.
    fn restrict_is_possible() -> bool {
        std::thread::spawn(|| restrict(&[]).is_ok()).join().unwrap()
    }
}
