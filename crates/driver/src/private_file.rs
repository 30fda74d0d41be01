//! Files that may hold secrets: only their owner can read them.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const MODE: u32 = 0o600;

/// Opens a file for writing that only its owner can read; what it has stays until it is written
/// over. One that others could read cannot be read by them any more.
///
/// # Errors
/// When it cannot be opened, or belongs to another user.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(MODE);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    // A pipe or a terminal keeps nothing.
    if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(MODE))?;
    }
    Ok(file)
}

/// The same for an empty file.
///
/// # Errors
/// As of [`open`].
pub fn create(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Makes a directory that only its owner can look into, but none above it.
///
/// # Errors
/// When it cannot be made.
pub fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_that_others_could_read_is_private_before_it_has_anything_new() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "a long text").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let mut file = create(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        file.write_all(b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert!(create(Path::new("/dev/null")).is_ok());
    }
}
