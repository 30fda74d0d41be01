//! One run at a time.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::directory::StateDir;
use crate::error::StoreError;

/// Held while a run is under way. It goes with the process, however that ends.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl RunLock {
    /// Takes the lock in a state directory.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another run has it; never waits.
    pub fn acquire(dir: &Path) -> Result<Self, StoreError> {
        let dir = StateDir::open(dir)?;
        let path = dir.path().join("run.lock");
        let mut file = dir.open_file("run.lock")?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut pid = String::new();
                // Without its number the other run is still another run.
                let _ = (&file).take(32).read_to_string(&mut pid);
                let pid = Some(pid.trim()).filter(|p| !p.is_empty()).unwrap_or("unknown");
                return Err(StoreError::Locked { pid: pid.into(), path });
            }
            Err(e) => return Err(StoreError::io(&path, &e.into())),
        }
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(|e| StoreError::io(&path, &e))?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_second_run_is_told_of_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let first = RunLock::acquire(dir.path()).unwrap();
        let error = RunLock::acquire(dir.path()).unwrap_err().to_string();
        let pid = std::process::id();
        assert!(error.starts_with(&format!("another run is under way (process {pid})")), "{error}");
        drop(first);
        RunLock::acquire(dir.path()).unwrap();
    }
}
