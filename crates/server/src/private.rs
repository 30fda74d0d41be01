//! Files that only this user can read.

use std::path::Path;

use crate::error::ServerError;

/// Makes a directory that only this user can read.
///
/// # Errors
/// When the system refuses it.
pub(crate) fn make_private(dir: &Path) -> Result<(), ServerError> {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(dir).map_err(ServerError::file(dir))
}

/// Replaces a file in a directory at once.
///
/// # Errors
/// When the system refuses it.
pub(crate) fn write_private(dir: &Path, path: &Path, text: &[u8]) -> Result<(), ServerError> {
    use std::io::Write;
    // Temporary files are readable for their owner only.
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(text)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        std::io::Result::Ok(())
    };
    write().map_err(ServerError::file(path))
}
