//! Labels of SELinux: the context of a file, kept in the extended attribute `security.selinux`.

use std::io;
use std::path::Path;

use rustix::fs::{XattrFlags, lgetxattr, lsetxattr};
use rustix::io::Errno;

use crate::system::host::Host;
use crate::system::mounts::file_system;
use crate::system::path::{Place, real_path};

/// The extended attribute that holds a context.
const ATTRIBUTE: &str = "security.selinux";

/// File systems that are known to have contexts.
const LABELLED_FILE_SYSTEMS: [&str; 10] =
    ["ext2", "ext3", "ext4", "gfs", "gfs2", "xfs", "jfs", "btrfs", "tmpfs", "zfs"];

/// The maximum size of a label in bytes.
const MAX_LABEL: usize = 4096;

/// Whether SELinux is on.
fn is_enabled(host: &Host) -> bool {
    host.path("/sys/fs/selinux/enforce".as_ref()).exists()
        && host.path("/etc/selinux/config".as_ref()).exists()
}

/// Whether contexts are managed at a path: SELinux is on, and the file system supports them.
pub(crate) fn are_managed(host: &Host, path: &Path) -> bool {
    is_enabled(host) && has_contexts(&host.path(path))
}

/// Whether the file system of a real path supports contexts.
fn has_contexts(path: &Path) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    file_system(&mounts, path).is_some_and(|kind| LABELLED_FILE_SYSTEMS.contains(&kind))
}

/// The context of the file at a place, without following links; empty if it has none.
pub(crate) fn read(place: &Place) -> io::Result<String> {
    let mut buffer = vec![0; MAX_LABEL];
    match lgetxattr(real_path(place), ATTRIBUTE, &mut buffer) {
        Ok(length) => {
            buffer.truncate(length);
            let text = String::from_utf8_lossy(&buffer);
            Ok(text.trim_end_matches('\0').to_owned())
        }
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOENT) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

/// Sets the context of the file at a place.
pub(crate) fn write(place: &Place, context: &str) -> io::Result<()> {
    let value = [context.as_bytes(), b"\0"].concat();
    Ok(lsetxattr(real_path(place), ATTRIBUTE, &value, XattrFlags::empty())?)
}
