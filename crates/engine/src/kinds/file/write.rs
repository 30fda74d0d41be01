//! Making and removing what stands at a place, atomically.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Uid, chmod, chownat, fchmod, fchown, fsync, mkdirat,
    openat, renameat, symlinkat, unlinkat,
};

use super::walk::{Place, is};
use crate::kind::KindError;

/// Owner and group to give, where they are managed.
pub(super) type Ids = (Option<u32>, Option<u32>);

/// Where new content comes from.
pub(super) enum Data<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// This file.
    File(&'a Path),
}

/// A name beside another that nothing else has.
pub(super) fn temporary_name(name: &OsStr) -> OsString {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let bytes = name.as_bytes();
    let mut out = OsString::from(".");
    out.push(OsStr::from_bytes(&bytes[..bytes.len().min(200)]));
    out.push(format!(".{:x}-{count:x}.ordain", std::process::id()));
    out
}

/// A path that leads to a place through its open directory.
pub(super) fn real_path(place: &Place) -> PathBuf {
    let dir = format!("/proc/self/fd/{}", place.dir.as_fd().as_raw_fd());
    Path::new(&dir).join(&place.name)
}

/// Writes a new file beside the place, checks it, and renames it into the place.
///
/// `check` is given the name of the new file before it takes its place.
pub(super) fn replace_file(
    place: &Place,
    data: &Data<'_>,
    ids: Ids,
    mode: u32,
    check: &dyn Fn(&OsStr) -> Result<(), KindError>,
) -> Result<(), WriteError> {
    let temporary = temporary_name(&place.name);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(&place.dir, &temporary, flags, Mode::from_raw_mode(0o600))?;
    let done = fill(file.into(), data, ids, mode)
        .map_err(WriteError::from)
        .and_then(|()| check(&temporary).map_err(WriteError::Check))
        .and_then(|()| Ok(renameat(&place.dir, &temporary, &place.dir, &place.name)?));
    if done.is_err() {
        // The error that led here matters more.
        let _ = unlinkat(&place.dir, &temporary, AtFlags::empty());
    }
    done?;
    Ok(sync_directory(place)?)
}

/// Why content could not be replaced.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The check did.
    #[error(transparent)]
    Check(KindError),
}

impl From<rustix::io::Errno> for WriteError {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Io(error.into())
    }
}

fn fill(mut file: std::fs::File, data: &Data<'_>, ids: Ids, mode: u32) -> io::Result<()> {
    match data {
        Data::Bytes(bytes) => file.write_all(bytes)?,
        Data::File(path) => {
            io::copy(&mut std::fs::File::open(path)?, &mut file)?;
        }
    }
    if ids != (None, None) {
        fchown(&file, ids.0.map(Uid::from_raw), ids.1.map(Gid::from_raw))?;
    }
    // After the owner, because a new owner takes the set-id bits away.
    fchmod(&file, Mode::from_raw_mode(mode))?;
    fsync(&file)?;
    Ok(())
}

/// Makes what was done in the directory last.
pub(super) fn sync_directory(place: &Place) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    fsync(openat(&place.dir, ".", flags, Mode::empty())?)?;
    Ok(())
}

/// Makes a link, also in place of what is no directory.
pub(super) fn replace_link(place: &Place, target: &str, ids: Ids) -> io::Result<()> {
    let temporary = temporary_name(&place.name);
    symlinkat(target, &place.dir, &temporary)?;
    let owned = Place { dir: place.dir.try_clone()?, name: temporary.clone() };
    let done = set_owner(&owned, ids)
        .and_then(|()| Ok(renameat(&place.dir, &temporary, &place.dir, &place.name)?));
    if done.is_err() {
        // The error that led here matters more.
        let _ = unlinkat(&place.dir, &temporary, AtFlags::empty());
    }
    done?;
    sync_directory(place)
}

/// Makes a directory where nothing is.
pub(super) fn make_directory(place: &Place, ids: Ids, mode: u32) -> io::Result<()> {
    // Nobody else gets in before owner and mode are right.
    mkdirat(&place.dir, &place.name, Mode::from_raw_mode(0o700))?;
    set_owner(place, ids)?;
    set_mode(place, mode)?;
    sync_directory(place)
}

/// Sets owner and group; of a link, not of what it leads to.
pub(super) fn set_owner(place: &Place, ids: Ids) -> io::Result<()> {
    if ids != (None, None) {
        let (uid, gid) = (ids.0.map(Uid::from_raw), ids.1.map(Gid::from_raw));
        chownat(&place.dir, &place.name, uid, gid, AtFlags::SYMLINK_NOFOLLOW)?;
    }
    Ok(())
}

/// Sets the mode of what is no link.
pub(super) fn set_mode(place: &Place, mode: u32) -> io::Result<()> {
    let file = place.open_path()?;
    if FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) == FileType::Symlink {
        return Err(rustix::io::Errno::LOOP.into());
    }
    // A descriptor that only refers to a file cannot be changed itself, but its name here can.
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    Ok(chmod(path, Mode::from_raw_mode(mode))?)
}

/// Removes what stands at a place with all that is below; nothing there is no error.
pub(super) fn remove(place: &Place) -> io::Result<()> {
    let Some(stat) = place.stat()? else { return Ok(()) };
    if is(&stat, FileType::Directory) {
        std::fs::remove_dir_all(real_path(place))?;
    } else {
        unlinkat(&place.dir, &place.name, AtFlags::empty())?;
    }
    sync_directory(place)
}
