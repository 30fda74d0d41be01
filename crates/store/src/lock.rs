//! One run at a time.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::directory::StateDir;
use crate::error::StoreError;

/// The maximum wait for the commands of an ended run to end.
const TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Held during a run. The kernel releases it when the process and its children end in any way. The
/// directory itself is locked, because a file in it could be removed.
#[derive(Debug)]
pub struct RunLock {
    directory: File,
}

impl RunLock {
    /// Takes the lock in a state directory.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another run has it; waits only for commands of an ended run.
    pub fn acquire(dir: &Path) -> Result<Self, StoreError> {
        let state = StateDir::open(dir)?;
        let directory = state.handle()?;
        let path = state.path().join("run.lock");
        let mut file = state.open_file("run.lock")?;
        let end = Instant::now() + TIMEOUT;
        loop {
            match flock(&directory, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) => {}
                Err(e) => return Err(StoreError::io(state.path(), &e.into())),
            }
            let pid = process_number(&mut file);
            let is_there = !pid.bytes().all(|b| b.is_ascii_digit()) || is_process(&pid);
            if is_there || Instant::now() >= end {
                return Err(StoreError::Locked { pid, path });
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(|e| StoreError::io(&path, &e))?;
        Ok(Self { directory })
    }

    /// A file that holds the lock while it is open in any process.
    ///
    /// # Errors
    /// When the process has too many files open.
    pub fn share(&self) -> io::Result<File> {
        self.directory.try_clone()
    }
}

/// The process that holds the lock. If its id cannot be read, the message says "another run".
fn process_number(file: &mut File) -> String {
    let mut pid = String::new();
    let _ = file.rewind().and_then(|()| file.take(32).read_to_string(&mut pid));
    match pid.trim() {
        "" => "unknown".to_string(),
        pid => pid.to_string(),
    }
}

/// Whether a process with this id exists; assumed without `/proc`.
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
