//! The secret key of a machine, which authenticates its own documents.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::Stat;

use crate::directory::{StateDir, octal};
use crate::error::StoreError;
use crate::migrate::rename_new;

/// The name of the file.
pub(crate) const FILE: &str = "plan.key";

/// The length in bytes.
const LENGTH: usize = 32;

/// The key of a state directory. A user who knows it can write plans that `ordain apply` accepts.
#[derive(Clone, PartialEq, Eq)]
pub struct MachineKey([u8; LENGTH]);

impl std::fmt::Debug for MachineKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MachineKey(..)")
    }
}

impl MachineKey {
    /// The key in a state directory; a missing one is created with mode 0600.
    ///
    /// # Errors
    /// When it cannot be read or created, is incomplete, or others can read it.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let dir = StateDir::open(dir)?;
        match read(&dir)? {
            Some(key) => Ok(key),
            None => make(&dir),
        }
    }

    /// The key in a state directory, if there is one.
    ///
    /// # Errors
    /// As of [`MachineKey::open`].
    pub fn existing(dir: &Path) -> Result<Option<Self>, StoreError> {
        StateDir::existing(dir)?.map_or(Ok(None), |dir| read(&dir))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Reads the key of a directory, if it has one.
pub(crate) fn read(dir: &StateDir) -> Result<Option<MachineKey>, StoreError> {
    let Some(stat) = dir.file_status(FILE)? else { return Ok(None) };
    let path = dir.path().join(FILE);
    check_mode(&path, &stat)?;
    let mut text = Vec::new();
    let file = dir.open_file(FILE)?;
    file.take(LENGTH as u64 + 1).read_to_end(&mut text).map_err(|e| StoreError::io(&path, &e))?;
    let key = text.try_into().map_err(|found: Vec<u8>| {
        StoreError::broken(&path, format!("it has {} bytes and not {LENGTH}", found.len()))
    })?;
    Ok(Some(MachineKey(key)))
}

fn check_mode(path: &Path, stat: &Stat) -> Result<(), StoreError> {
    if stat.st_mode & 0o077 == 0 {
        return Ok(());
    }
    let reason = format!("others can read it (mode {})", octal(stat.st_mode));
    Err(StoreError::Unsafe { path: path.to_path_buf(), reason })
}

/// Creates a key under another name, so that it is complete when it becomes visible.
fn make(dir: &StateDir) -> Result<MachineKey, StoreError> {
    let path = dir.path().join(FILE);
    let failed = |e: std::io::Error| StoreError::io(&path, &e);
    let mut key = [0; LENGTH];
    getrandom::fill(&mut key).map_err(|e| failed(std::io::Error::other(e.to_string())))?;
    let new = dir.path().join(format!("{FILE}.new-{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let _ = std::fs::remove_file(&new);
    let mut file: File = options.open(&new).map_err(failed)?;
    let written = file.write_all(&key).and_then(|()| file.sync_all()).map_err(failed);
    let renamed =
        written.and_then(|()| rename_new(&new, &path).map_err(|e| StoreError::errno(&path, e)));
    if renamed.is_err() {
        // The error that led here matters more.
        let _ = std::fs::remove_file(&new);
    }
    match renamed {
        Ok(()) => Ok(MachineKey(key)),
        // Another process was first.
        Err(error) => read(dir)?.ok_or(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_is_made_once_for_its_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(MachineKey::existing(dir.path()).unwrap(), None);
        let key = MachineKey::open(dir.path()).unwrap();
        assert_ne!(key.bytes(), [0; LENGTH]);
        assert_eq!(MachineKey::open(dir.path()).unwrap(), key);
        let mode = dir.path().join(FILE).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(MachineKey::open(other.path()).unwrap(), key);
    }

    #[test]
    fn a_key_that_is_not_whole_or_not_secret_is_no_key() {
        let dir = tempfile::tempdir().unwrap();
        MachineKey::open(dir.path()).unwrap();
        let path = dir.path().join(FILE);
        for (content, mode, reason) in [
            (&[7; 31][..], 0o600, "it has 31 bytes and not 32"),
            (&[7; 33], 0o600, "it has 33 bytes and not 32"),
            (&[], 0o600, "it has 0 bytes and not 32"),
            (&[7; 32], 0o640, "others can read it (mode 0640)"),
        ] {
            std::fs::write(&path, content).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let error = MachineKey::open(dir.path()).unwrap_err().to_string();
            assert!(error.ends_with(reason), "{error}");
        }
    }
}
