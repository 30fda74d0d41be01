//! Saves paths before a run changes them, if the run has backups.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

use crate::system::host::Host;
use crate::system::path::resolve;

impl Host {
    /// Saves a path of the machine before a change; with `follow`, the target of a link.
    ///
    /// # Errors
    /// When it could not be saved; it should then not be changed.
    pub(crate) fn keep(&self, path: &Path, follow: bool) -> io::Result<()> {
        let Some(backups) = &self.backups else { return Ok(()) };
        let real = if follow { self.followed(path)? } else { path.to_path_buf() };
        backups.save(self, &real)
    }

    /// The same for a directory with its content.
    ///
    /// # Errors
    /// As of [`Host::keep`].
    pub(crate) fn keep_tree(&self, path: &Path) -> io::Result<()> {
        self.backups.as_ref().map_or(Ok(()), |backups| backups.save_tree(self, path))
    }

    /// The path of the machine after following links.
    fn followed(&self, path: &Path) -> io::Result<PathBuf> {
        let place = resolve(self, path, true)?;
        let dir = std::fs::read_link(format!("/proc/self/fd/{}", place.dir.as_fd().as_raw_fd()))?;
        let root = std::fs::canonicalize(&self.root)?;
        let below = dir.strip_prefix(&root).map_err(io::Error::other)?;
        Ok(Path::new("/").join(below).join(&place.name))
    }
}
