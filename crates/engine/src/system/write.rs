//! Creates, replaces and removes files atomically.

use std::collections::HashSet;
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use ordain_graph::protected::TreeAction;
use rustc_hash::FxHasher;
use rustix::fs::{
    AtFlags, FileType, FlockOperation, Gid, Mode, OFlags, Uid, chmod, chownat, fchmod, fchown,
    flock, fstat, fsync, mkdirat, openat, renameat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use crate::system::host::Host;
use crate::system::path::{Place, is, own_ids, real_path, resolve};
use crate::system::safety::check_links;

/// Owner and group, if they are managed.
pub(crate) type Ids = (Option<u32>, Option<u32>);

/// The source of new content.
pub(crate) enum Data<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// This file.
    File(&'a Path),
    /// The output of this function.
    Made(WriteContent<'a>),
}

/// The maximum length of the part of a name that goes into a temporary one.
const MAX_NAME: usize = 200;

/// Writes a content piece by piece, so that it is never in memory as a whole.
pub(crate) type WriteContent<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// A name next to another that nothing else uses.
pub(crate) fn temporary_name(name: &OsStr) -> OsString {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let bytes = name.as_bytes();
    let mut out = OsString::from(".");
    out.push(OsStr::from_bytes(&bytes[..bytes.len().min(MAX_NAME)]));
    out.push(format!(".{:x}-{count:x}.ordain", std::process::id()));
    out
}

/// The maximum number of taken temporary names: leftovers of an ended process with the same id.
const MAX_TAKEN: usize = 1000;

/// Creates a file under a free temporary name.
fn make_beside<T>(
    place: &Place,
    make: impl Fn(&OsStr) -> rustix::io::Result<T>,
) -> io::Result<(OsString, T)> {
    sweep(place);
    for _ in 0..MAX_TAKEN {
        let name = temporary_name(&place.name);
        match make(&name) {
            Ok(made) => return Ok((name, made)),
            Err(Errno::EXIST) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Err(Errno::EXIST.into())
}

/// Removes leftovers of killed runs beside a place, once for each directory.
///
/// A temporary file is locked while it is written, so an unlocked one is a leftover. Directories
/// that were moved away are kept: they have the previous content, and [`recover`] handles them.
fn sweep(place: &Place) {
    /// Device, inode and birth time, because inode numbers are reused.
    type DirectoryIds = HashSet<(u64, u64, Option<SystemTime>)>;
    static SWEPT_DIRECTORIES: Mutex<Option<DirectoryIds>> = Mutex::new(None);
    let here = format!("/proc/self/fd/{}", place.dir.as_fd().as_raw_fd());
    let Ok(meta) = std::fs::metadata(&here) else { return };
    let id = (meta.dev(), meta.ino(), meta.created().ok());
    // Held to the end, so that this process creates nothing meanwhile.
    let mut seen = SWEPT_DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.get_or_insert_default().insert(id) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(&here) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_temporary_name(&name) && !is_directory && is_left_over(place, &name) {
            // A file that cannot be removed does no harm.
            let _ = unlinkat(&place.dir, &name, AtFlags::empty());
        }
    }
}

/// Removes leftovers of a killed run in the directory of a place, which [`sweep`] may not visit
/// again.
///
/// A directory that was moved aside is removed if something took its place, else moved back.
pub(crate) fn recover(host: &Host, place: &Place) -> io::Result<()> {
    let mut changed = false;
    for entry in
        std::fs::read_dir(real_path(&Place { dir: place.dir.try_clone()?, name: ".".into() }))?
    {
        let name = entry?.file_name();
        if !is_temporary_name(&name) || !is_left_over(place, &name) {
            continue;
        }
        changed = true;
        let left = Place { dir: place.dir.try_clone()?, name };
        let is_directory = left.stat()?.is_some_and(|stat| is(&stat, FileType::Directory));
        let original = original_name(&left.name).filter(|_| is_directory);
        let original =
            original.map(|name| Ok::<_, io::Error>(Place { dir: place.dir.try_clone()?, name }));
        match original.transpose()? {
            Some(original) if original.stat()?.is_none() => {
                renameat(&place.dir, &left.name, &place.dir, &original.name)?;
            }
            _ => remove(host, &left)?,
        }
    }
    if changed { sync_directory(place) } else { Ok(()) }
}

/// The name that a temporary name was made from, unless it was too long to be included.
fn original_name(temporary: &OsStr) -> Option<OsString> {
    let stem = temporary.as_bytes().strip_prefix(b".")?.strip_suffix(b".ordain")?;
    let name = &stem[..stem.iter().rposition(|b| *b == b'.')?];
    (name.len() < MAX_NAME).then(|| OsStr::from_bytes(name).to_os_string())
}

/// Whether this is a name that [`temporary_name`] makes.
fn is_temporary_name(name: &OsStr) -> bool {
    let hex = |b: &[u8]| !b.is_empty() && b.iter().all(u8::is_ascii_hexdigit);
    let parts = || {
        let stem = name.as_bytes().strip_prefix(b".")?.strip_suffix(b".ordain")?;
        let numbers = &stem[stem.iter().rposition(|b| *b == b'.')? + 1..];
        let (pid, count) = numbers.split_at(numbers.iter().position(|b| *b == b'-')?);
        Some(hex(pid) && hex(&count[1..]))
    };
    parts().unwrap_or(false)
}

/// Whether this is the name of a temporary file of this process.
pub(crate) fn is_being_written(name: &OsStr) -> bool {
    let own = format!(".{:x}-", std::process::id());
    let name_bytes = name.as_bytes();
    is_temporary_name(name) && name_bytes.windows(own.len()).any(|part| part == own.as_bytes())
}

fn is_left_over(place: &Place, name: &OsStr) -> bool {
    let found = Place {
        dir: match place.dir.try_clone() {
            Ok(dir) => dir,
            Err(_) => return false,
        },
        name: name.into(),
    };
    let Ok(Some(stat)) = found.stat() else { return false };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => true,
        FileType::RegularFile | FileType::Directory => found
            .open()
            .is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()),
        _ => false,
    }
}

/// Locks the file at a place as in use, while the result is kept.
pub(crate) fn lock(place: &Place) -> Option<std::fs::File> {
    let file = place.open().ok()?;
    // A file system without locks does without.
    let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
    Some(file)
}

/// Writes a new file beside the place, checks it, and renames it into the place.
///
/// `check` gets the name of the new file before it is renamed.
pub(crate) fn replace_file<E>(
    place: &Place,
    data: &Data<'_>,
    ids: Ids,
    mode: u32,
    check: &dyn Fn(&OsStr) -> Result<(), E>,
) -> Result<(), WriteError<E>> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (temporary, file) =
        make_beside(place, |name| openat(&place.dir, name, flags, Mode::from_raw_mode(0o600)))?;
    // The lock marks the file as in use; a file system without locks works without it.
    let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
    let mut file = std::fs::File::from(file);
    let done = fill(&mut file, data, ids, mode)
        .map_err(WriteError::from)
        .and_then(|()| check(&temporary).map_err(WriteError::Check))
        .and_then(|()| match renameat(&place.dir, &temporary, &place.dir, &place.name) {
            // A file that is a mount point, as /etc/hosts in containers, cannot be replaced.
            Err(Errno::BUSY) => overwrite(place, &temporary, ids, mode).map_err(WriteError::from),
            renamed => Ok(renamed?),
        });
    if done.is_err() {
        // The error that led here matters more.
        let _ = unlinkat(&place.dir, &temporary, AtFlags::empty());
    }
    done?;
    Ok(sync_directory(place)?)
}

/// As [`replace_file`], without a check.
pub(crate) fn replace_file_unchecked(
    place: &Place,
    data: &Data<'_>,
    ids: Ids,
    mode: u32,
) -> io::Result<()> {
    let unchecked = |_: &OsStr| Ok::<(), Infallible>(());
    replace_file(place, data, ids, mode, &unchecked).map_err(|e| match e {
        WriteError::Io(e) => e,
        WriteError::Check(never) => match never {},
    })
}

/// The reason why content could not be replaced.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError<E> {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The check did.
    #[error(transparent)]
    Check(E),
}

impl<E> From<Errno> for WriteError<E> {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

/// Copies new content into a file that cannot be replaced.
fn overwrite(place: &Place, temporary: &OsStr, ids: Ids, mode: u32) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = openat(&place.dir, &place.name, flags, Mode::empty())?.into();
    let staged = Place { dir: place.dir.try_clone()?, name: temporary.into() };
    fill(&mut file, &Data::File(&real_path(&staged)), ids, mode)?;
    Ok(unlinkat(&place.dir, temporary, AtFlags::empty())?)
}

/// The maximum number of files that are edited at the same time.
const MAX_EDITORS: usize = 64;

/// Held while a file with parts of several resources is read, changed and written.
pub(crate) fn editing(path: &Path) -> MutexGuard<'static, ()> {
    static LOCKS: [Mutex<()>; MAX_EDITORS] = [const { Mutex::new(()) }; MAX_EDITORS];
    let mut hasher = FxHasher::default();
    path.hash(&mut hasher);
    // The upper bits of the hash are mixed best.
    let at = (hasher.finish() >> 32) as usize % MAX_EDITORS;
    LOCKS[at].lock().unwrap_or_else(PoisonError::into_inner)
}

/// Mode and owner for a new file.
#[derive(Clone, Copy)]
pub(crate) struct Owner {
    /// Permission bits.
    pub(crate) mode: u32,
    /// User and group id.
    pub(crate) ids: Option<(u32, u32)>,
}

/// Replaces the content of a file of the machine, following links. An existing file keeps its mode
/// and owner; a new one gets those of `new`.
///
/// # Errors
/// When it cannot be written; the file is then unchanged.
pub(crate) fn rewrite(host: &Host, path: &Path, content: &[u8], new: Owner) -> io::Result<()> {
    rewrite_with(host, path, &Data::Bytes(content), new)
}

/// As [`rewrite`], with content from any source.
///
/// # Errors
/// When it cannot be written; the file is then unchanged.
pub(crate) fn rewrite_with(
    host: &Host,
    path: &Path,
    content: &Data<'_>,
    new: Owner,
) -> io::Result<()> {
    host.keep(path, true)?;
    let place = resolve(host, path, true)?;
    let (ids, mode) = match place.stat()? {
        Some(stat) => (Some((stat.st_uid, stat.st_gid)), stat.st_mode & 0o7777),
        None => (new.ids, new.mode),
    };
    let ids = ids.filter(|ids| *ids != own_ids());
    let ids = (ids.map(|ids| ids.0), ids.map(|ids| ids.1));
    replace_file_unchecked(&place, content, ids, mode)
}

fn fill(file: &mut std::fs::File, data: &Data<'_>, ids: Ids, mode: u32) -> io::Result<()> {
    match data {
        Data::Bytes(bytes) => file.write_all(bytes)?,
        Data::File(path) => {
            io::copy(&mut std::fs::File::open(path)?, file)?;
        }
        Data::Made(produce) => {
            let mut out = io::BufWriter::new(&mut *file);
            produce(&mut out)?;
            out.flush()?;
        }
    }
    if ids != (None, None) {
        fchown(&*file, ids.0.map(Uid::from_raw), ids.1.map(Gid::from_raw))?;
    }
    // After the owner, because a new owner clears the set-id bits.
    fchmod(&*file, Mode::from_raw_mode(mode))?;
    fsync(&*file)?;
    Ok(())
}

/// Flushes owner and mode of a file or directory to the disk. Other types have no content, and are
/// written with their directory.
pub(crate) fn sync(place: &Place) -> io::Result<()> {
    let stat = place.stat()?;
    let kinds = [FileType::RegularFile, FileType::Directory];
    if !stat.is_some_and(|stat| kinds.iter().any(|kind| is(&stat, *kind))) {
        return Ok(());
    }
    match place.open() {
        Ok(file) => Ok(fsync(file)?),
        // A user who may change the mode may lack read permission.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(e) => Err(e),
    }
}

/// Flushes changes of the directory to the disk.
pub(crate) fn sync_directory(place: &Place) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    fsync(openat(&place.dir, ".", flags, Mode::empty())?)?;
    Ok(())
}

/// Creates a link. It may replace anything but a directory.
pub(crate) fn replace_link(host: &Host, place: &Place, target: &OsStr, ids: Ids) -> io::Result<()> {
    let (temporary, ()) = make_beside(place, |name| symlinkat(target, &place.dir, name))?;
    let new = Place { dir: place.dir.try_clone()?, name: temporary.clone() };
    let done = set_owner(host, &new, ids)
        .and_then(|()| Ok(renameat(&place.dir, &temporary, &place.dir, &place.name)?));
    if done.is_err() {
        // The error that led here matters more.
        let _ = unlinkat(&place.dir, &temporary, AtFlags::empty());
    }
    done?;
    sync_directory(place)
}

/// Creates a directory where nothing exists.
pub(crate) fn make_directory(place: &Place, ids: Ids, mode: u32) -> io::Result<()> {
    // Nobody else can write before owner and mode are set. A default mode is set at once, because
    // no later run would repair it.
    mkdirat(&place.dir, &place.name, Mode::from_raw_mode(mode & 0o755))?;
    // Another writer of the parent may have replaced it.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = openat(&place.dir, &place.name, flags, Mode::empty())?;
    if ids != (None, None) {
        own(&made, ids)?;
    }
    change_mode(&made, mode)?;
    sync(place)?;
    sync_directory(place)
}

/// Makes the directories around a path of the machine that are missing.
///
/// # Errors
/// When one cannot be made.
pub(crate) fn make_parents(host: &Host, path: &Path, mode: u32) -> io::Result<()> {
    let mut above: Vec<_> = path.ancestors().skip(1).collect();
    // The root is there.
    above.pop();
    for path in above.into_iter().rev() {
        let place = resolve(host, path, true)?;
        if place.stat()?.is_none() {
            host.keep(path, true)?;
            make_directory(&place, (None, None), mode)?;
        }
    }
    Ok(())
}

/// Sets owner and group, without following links.
///
/// # Errors
/// When they cannot be set, or another user may have linked the file there.
pub(crate) fn set_owner(host: &Host, place: &Place, ids: Ids) -> io::Result<()> {
    if ids == (None, None) {
        return Ok(());
    }
    let file = place.open_path()?;
    check_links(host, place, &fstat(&file)?)?;
    own(&file, ids)
}

/// Sets the owner and group of an open file.
fn own(file: &OwnedFd, ids: Ids) -> io::Result<()> {
    let (uid, gid) = (ids.0.map(Uid::from_raw), ids.1.map(Gid::from_raw));
    Ok(chownat(file, "", uid, gid, AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Sets the mode of a path that is no link.
///
/// # Errors
/// When it cannot be set, or another user may have linked the file there.
pub(crate) fn set_mode(host: &Host, place: &Place, mode: u32) -> io::Result<()> {
    let file = place.open_path()?;
    let stat = fstat(&file)?;
    if is(&stat, FileType::Symlink) {
        return Err(Errno::LOOP.into());
    }
    check_links(host, place, &stat)?;
    change_mode(&file, mode)
}

fn change_mode(file: &OwnedFd, mode: u32) -> io::Result<()> {
    // A descriptor with `O_PATH` cannot be changed itself, but its name here can.
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    Ok(chmod(path, Mode::from_raw_mode(mode))?)
}

/// Removes an empty directory.
///
/// # Errors
/// When it is not empty, or the machine needs it.
pub(crate) fn remove_directory(host: &Host, place: &Place) -> io::Result<()> {
    host.may_at(TreeAction::Remove, place)?;
    unlinkat(&place.dir, &place.name, AtFlags::REMOVEDIR)?;
    sync_directory(place)
}

/// Removes the file or directory at a place with its content. A missing path is no error.
///
/// # Errors
/// When it cannot be removed, or the machine needs it.
pub(crate) fn remove(host: &Host, place: &Place) -> io::Result<()> {
    let Some(stat) = place.stat()? else { return Ok(()) };
    host.may_at(TreeAction::Remove, place)?;
    if is(&stat, FileType::Directory) {
        std::fs::remove_dir_all(real_path(place))?;
    } else {
        unlinkat(&place.dir, &place.name, AtFlags::empty())?;
    }
    sync_directory(place)
}
