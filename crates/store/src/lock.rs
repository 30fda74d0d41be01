//! One run at a time.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::StoreError;

/// How long to wait for the commands of a run to end whose own process has ended.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// Held while a run is under way. It goes with the process, and with what that has started, however
/// they end. The directory itself is locked: a file in it could be removed.
#[derive(Debug)]
pub struct RunLock {
    directory: File,
}

impl RunLock {
    /// Takes the lock in a state directory.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another run has it; waits only for commands of one that has ended.
    pub fn acquire(dir: &Path) -> Result<Self, StoreError> {
        crate::journal::make_directory(dir)?;
        let directory = File::open(dir).map_err(|e| StoreError::io(dir, &e))?;
        let path = dir.join("run.lock");
        let end = Instant::now() + PATIENCE;
        loop {
            match flock(&directory, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) => {}
                Err(e) => return Err(StoreError::io(dir, &e.into())),
            }
            // Without its number the other run is still another run.
            let pid = std::fs::read_to_string(&path).unwrap_or_default();
            let pid = Some(pid.trim()).filter(|p| !p.is_empty()).unwrap_or("unknown");
            let is_there = !pid.bytes().all(|b| b.is_ascii_digit()) || is_process(pid);
            if is_there || Instant::now() >= end {
                return Err(StoreError::Locked { pid: pid.into(), path });
            }
            std::thread::sleep(PAUSE);
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let written =
            options.open(&path).and_then(|mut file| writeln!(file, "{}", std::process::id()));
        written.map_err(|e| StoreError::io(&path, &e))?;
        Ok(Self { directory })
    }

    /// A file that holds the lock as long as it is open, wherever that is.
    ///
    /// # Errors
    /// When the process has too many files open.
    pub fn share(&self) -> io::Result<File> {
        self.directory.try_clone()
    }
}

/// Whether there is a process of this number; without `/proc` nobody knows, and one is assumed.
fn is_process(pid: &str) -> bool {
    let proc = Path::new("/proc");
    !proc.join("self").exists() || proc.join(pid).exists()
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

    #[test]
    fn it_is_held_without_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let first = RunLock::acquire(dir.path()).unwrap();
        std::fs::remove_file(dir.path().join("run.lock")).unwrap();
        let error = RunLock::acquire(dir.path()).unwrap_err().to_string();
        assert!(error.starts_with("another run is under way (process unknown)"), "{error}");
        drop(first);
        RunLock::acquire(dir.path()).unwrap();
    }

    #[test]
    fn it_is_held_as_long_as_a_command_of_the_run_has_it() {
        let dir = tempfile::tempdir().unwrap();
        let shared = RunLock::acquire(dir.path()).unwrap().share().unwrap();
        assert!(RunLock::acquire(dir.path()).is_err());
        // The run has ended, and its commands end soon.
        std::fs::write(dir.path().join("run.lock"), "4194305\n").unwrap();
        let waiting = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| RunLock::acquire(dir.path()));
            std::thread::sleep(Duration::from_millis(30));
            assert!(!waiting.is_finished());
            drop(shared);
            waiting.join().unwrap()
        });
        assert!(waiting.is_ok());
    }
}
