//! Files in which a resource keeps state on the machine for its next run.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::kind::KindError;
use crate::system::file_cache::read_bytes;
use crate::system::host::Host;
use crate::system::write::{Owner, rewrite};

/// The directory of state files.
const ROOT: &str = "/var/lib/ordain";

/// A file that only root reads.
pub(crate) struct StateFile {
    path: PathBuf,
}

impl StateFile {
    /// The file of a name in a directory.
    pub(crate) fn new(directory: &str, name: &str) -> Self {
        let digest = Sha256::digest(name.as_bytes());
        let file: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self { path: Self::directory(directory).join(file) }
    }

    /// The directory of a name.
    pub(crate) fn directory(name: &str) -> PathBuf {
        Path::new(ROOT).join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The content; `None` if there is no file.
    pub(crate) fn read(&self, host: &Host) -> Result<Option<Vec<u8>>, KindError> {
        read_bytes(&host.path(&self.path)).map_err(|e| self.failed("read", &e))
    }

    /// Keeps this.
    pub(crate) fn write(&self, host: &Host, content: &[u8]) -> Result<(), KindError> {
        if let Some(directory) = self.path.parent() {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(true).mode(0o700);
            builder.create(host.path(directory)).map_err(|e| self.failed("make", &e))?;
        }
        rewrite(host, &self.path, content, Owner { mode: 0o600, ids: None })
            .map_err(|e| self.failed("write", &e))
    }

    /// Removes the state.
    pub(crate) fn remove(&self, host: &Host) -> Result<(), KindError> {
        match std::fs::remove_file(host.path(&self.path)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(self.failed("remove", &e)),
            _ => Ok(()),
        }
    }

    fn failed(&self, what: &str, error: &std::io::Error) -> KindError {
        KindError::new(format!("Could not {what} {}: {error}", self.path.display()))
    }
}
