//! Files and directories.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::error::{AtPath, Error, Result};

/// Creates a directory and its parents, accessible only to this user.
pub(crate) fn private_directory(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).at_path(path)
}

/// Creates a directory inside a tree; `path` is relative to `root`. Refuses symbolic links on the
/// way, because they could lead out of the tree.
pub(crate) fn directory_inside(root: &Path, path: &Path) -> Result<PathBuf> {
    let mut at = root.to_path_buf();
    for part in path.components() {
        let Component::Normal(name) = part else {
            return Err(Error::path(path, &"the path is outside of the environment"));
        };
        at.push(name);
        match fs::symlink_metadata(&at) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                let text = "a directory is needed here, and the repository has something else";
                return Err(Error::path(path, &text));
            }
            Err(_) => fs::create_dir(&at).at_path(&at)?,
        }
    }
    Ok(at)
}

/// Removes a file, link or directory, if it exists.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path).at_path(path),
        Ok(_) => fs::remove_file(path).at_path(path),
        Err(_) => Ok(()),
    }
}

/// Writes a file atomically.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    let write = || {
        let mut file = File::create(&new)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().at_path(path)
}

/// Exchanges two entries atomically. Returns whether the file system can do that.
pub(crate) fn exchange(one: &Path, other: &Path) -> Result<bool> {
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS) => Ok(false),
        Err(error) => Err(error).at_path(other),
    }
}

/// Copies a file, a link or a directory tree. Leaves out sockets and devices.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let metadata = fs::symlink_metadata(from).at_path(from)?;
    let kind = metadata.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(from).at_path(from)?;
        return symlink(target, to).at_path(to);
    }
    if kind.is_file() {
        return fs::copy(from, to).map(|_| ()).at_path(to);
    }
    if kind.is_dir() {
        fs::create_dir(to).at_path(to)?;
        for name in names(from)? {
            copy(&from.join(&name), &to.join(&name))?;
        }
        return fs::set_permissions(to, metadata.permissions()).at_path(to);
    }
    Ok(())
}

/// The names in a directory, sorted.
pub(crate) fn names(directory: &Path) -> Result<Vec<std::ffi::OsString>> {
    let entries = fs::read_dir(directory).at_path(directory)?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.at_path(directory)?.file_name());
    }
    names.sort();
    Ok(names)
}

/// Flushes the entries of a directory to disk.
pub(crate) fn sync_directory(path: &Path) -> Result<()> {
    File::open(path).and_then(|directory| directory.sync_all()).at_path(path)
}

/// Flushes a file system to disk.
pub(crate) fn sync_file_system(path: &Path) -> Result<()> {
    let directory = File::open(path).at_path(path)?;
    rustix::fs::syncfs(directory).at_path(path)
}

/// A temporary directory that is removed on drop.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(path: PathBuf) -> Result<Self> {
        remove(&path)?;
        fs::create_dir_all(&path).at_path(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The next deploy removes the directory if this fails.
        let _ = fs::remove_dir_all(&self.0);
    }
}
