//! File locks between processes.

use std::fs::File;
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

/// Whether no process has locked a directory. Readers of a revision may lock it.
pub(crate) fn is_unused(directory: &Path) -> bool {
    let Ok(directory) = File::open(directory) else { return false };
    flock(&directory, FlockOperation::NonBlockingLockExclusive).is_ok()
}
