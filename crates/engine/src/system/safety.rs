//! Guards against dangerous changes, which a run refuses unless the user allows them: removing
//! paths that the machine needs, and changing files that another user may have linked.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

use ordain_graph::protected::{self, TreeAction};
use rustix::fs::{AtFlags, FileType, Stat, statat};

use crate::system::accounts;
use crate::system::host::Host;
use crate::system::mounts::{mounts_below, zfs_mounts};
use crate::system::path::{Place, is};
use crate::system::path::{own_ids, real_path};

fn refused(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

impl Host {
    /// Refuses a protected path, even if it does not exist.
    ///
    /// # Errors
    /// When it may not be removed, replaced or emptied.
    pub(crate) fn may(&self, action: TreeAction, path: &Path) -> io::Result<()> {
        let is_protected = path.to_str().is_some_and(|text| protected::is_protected(text, action));
        if !is_protected || self.allowed.remove.contains(path) {
            return Ok(());
        }
        let (path, done) = (path.display(), action.done());
        Err(refused(format!(
            "{path} is not {done}: a machine runs on it; --allow-remove {path} permits it"
        )))
    }

    /// The same for the target of a place after following links, and for all mounts inside.
    ///
    /// # Errors
    /// When it must not be removed, replaced or emptied, or when mounts cannot be listed.
    pub(crate) fn may_at(&self, action: TreeAction, place: &Place) -> io::Result<()> {
        let path = self.path_of(place)?;
        self.may(action, &path)?;
        let is_directory = place.stat()?.is_some_and(|stat| is(&stat, FileType::Directory));
        if !is_directory {
            return Ok(());
        }
        for mounted in mounts_below(&self.path(&path))? {
            let mounted = self.below_root(&mounted)?;
            // A separate file system may be emptied, such as the one for temporary files.
            if action == TreeAction::Empty && mounted == path {
                continue;
            }
            if !self.allowed.remove.contains(&mounted) {
                let (mounted, path) = (mounted.display(), path.display());
                return Err(refused(format!(
                    "{mounted} is a mount point, which is not removed with {path}; --allow-remove {mounted} permits it"
                )));
            }
        }
        Ok(())
    }

    /// The path of the machine for a place, without links.
    pub(crate) fn path_of(&self, place: &Place) -> io::Result<PathBuf> {
        let dir = std::fs::read_link(format!("/proc/self/fd/{}", place.dir.as_fd().as_raw_fd()))?;
        let path = self.below_root(&dir)?;
        Ok(if place.name == "." { path } else { path.join(&place.name) })
    }

    /// Refuses to destroy a ZFS file system or pool that the machine needs.
    ///
    /// # Errors
    /// When it, or a part of it, is mounted at such a place.
    pub(crate) fn may_destroy(&self, name: &str) -> io::Result<()> {
        let is_of = |source: &str| {
            source.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let own = zfs_mounts().into_iter().filter(|(source, _)| is_of(source));
        for (source, place) in own {
            let place = self.below_root(&place).unwrap_or(place);
            self.may(TreeAction::Remove, &place).map_err(|e| refused(format!("{source}: {e}")))?;
        }
        Ok(())
    }

    fn below_root(&self, real: &Path) -> io::Result<PathBuf> {
        let root = std::fs::canonicalize(&self.root)?;
        Ok(Path::new("/").join(real.strip_prefix(&root).map_err(io::Error::other)?))
    }
}

/// Whether another user may have created this hard link to a foreign file: the file has several
/// links, and users other than its owner and the trusted ones can write to the directory.
///
/// The kernel prevents such links where `fs.protected_hardlinks` is on, but not older ones, or
/// those on a file server.
fn is_planted(host: &Host, dir: &Stat, file: &Stat) -> bool {
    !is(file, FileType::Directory) && file.st_nlink > 1 && others_write(host, dir, file.st_uid)
}

/// Whether a user other than root, the current user and the trusted ones can create names in a
/// directory.
fn others_write(host: &Host, dir: &Stat, trusted: u32) -> bool {
    let trusted = [0, own_ids().0, trusted];
    let by_group = dir.st_mode & 0o020 != 0 && accounts::has_others(host, dir.st_gid, &trusted);
    !trusted.contains(&dir.st_uid) || dir.st_mode & 0o002 != 0 || by_group
}

/// Refuses to change a file, or to copy it for others, if another user may have linked it there.
/// `file` is the metadata of the open file.
///
/// # Errors
/// When another user may have linked it, and this is not allowed.
pub(crate) fn check_links(host: &Host, place: &Place, file: &Stat) -> io::Result<()> {
    if host.allowed.hard_links || is(file, FileType::Directory) || file.st_nlink < 2 {
        return Ok(());
    }
    let dir = rustix::fs::fstat(&place.dir)?;
    if !is_planted(host, &dir, file) {
        return Ok(());
    }
    let (path, names) = (host.path_of(place)?, file.st_nlink);
    let owner = accounts::user_name(host, file.st_uid);
    Err(refused(format!(
        "{} is one of {names} names (hard links) of a file of {owner}, in a directory that others \
         can write to; --allow-hard-links permits it",
        path.display()
    )))
}

/// The name of a file in a directory that may have been linked there by a user who would lose write
/// access to it: afterwards nobody could tell.
///
/// # Errors
///
/// When the directory cannot be read.
pub(crate) fn planted_in(
    host: &Host,
    place: &Place,
    before: &Stat,
) -> io::Result<Option<OsString>> {
    if host.allowed.hard_links || !others_write(host, before, own_ids().0) {
        return Ok(None);
    }
    for entry in std::fs::read_dir(real_path(place))? {
        let name = entry?.file_name();
        let inner = Path::new(&place.name).join(&name);
        match statat(&place.dir, &inner, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(file) if is_planted(host, before, &file) => return Ok(Some(name)),
            // A file that is already removed is no danger.
            Ok(_) | Err(rustix::io::Errno::NOENT) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(None)
}

/// Whether this owner, group and mode restrict writing to a directory to trusted users, while
/// others could write before.
pub(crate) fn is_closed_by(host: &Host, before: &Stat, after: (u32, u32, u32)) -> bool {
    let mut closed = *before;
    (closed.st_uid, closed.st_gid) = (after.0, after.1);
    closed.st_mode = before.st_mode & !0o7777 | after.2;
    let own = own_ids().0;
    others_write(host, before, own) && !others_write(host, &closed, own)
}
