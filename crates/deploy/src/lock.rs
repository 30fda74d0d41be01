//! File locks between processes.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use crate::error::{AtPath, Result};

/// Locks a file until the result is dropped. Waits for other holders. Creates a missing file.
pub(crate) fn exclusive(path: &Path) -> Result<File> {
    let file = open(path)?;
    flock(&file, FlockOperation::LockExclusive).at_path(path)?;
    Ok(file)
}

/// Like [`exclusive`], without waiting; `None` if another process holds the lock.
pub(crate) fn try_exclusive(path: &Path) -> Result<Option<File>> {
    let file = open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error).at_path(path),
    }
}

fn open(path: &Path) -> Result<File> {
    File::options().create(true).truncate(false).write(true).open(path).at_path(path)
}

/// Locks a directory before its removal. Returns `None` while a reader holds the lock.
pub(crate) fn unused(directory: &Path) -> Option<File> {
    let directory = File::open(directory).ok()?;
    flock(&directory, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(directory)
}

/// Locks a directory for a reader. Returns `None` if the directory is being removed or is gone.
pub(crate) fn shared(directory: &Path) -> Option<File> {
    let lock = File::open(directory).ok()?;
    flock(&lock, FlockOperation::NonBlockingLockShared).ok()?;
    // A removal renames the directory first, possibly between the open and the lock.
    let (locked, now) = (lock.metadata().ok()?, std::fs::metadata(directory).ok()?);
    ((locked.dev(), locked.ino()) == (now.dev(), now.ino())).then_some(lock)
}
