//! Unpacks the tarballs of modules.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;
use tar::{Archive, Entry, EntryType};

use crate::error::{Error, Result};
use crate::files;

/// The largest number of entries in a tarball.
const MAX_ENTRIES: usize = 100_000;

/// The largest unpacked size of a tarball, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The largest ratio of unpacked to packed bytes, once more than [`SMALL`] bytes are unpacked.
/// Source code has a ratio of about 10; only an attack exceeds 100.
const MAX_RATIO: u64 = 200;

/// Every tarball may unpack to this number of bytes.
const SMALL: u64 = 64 << 20;

/// A reader that fails, instead of ending, after a number of bytes.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let used = self.left.checked_sub(count as u64);
        let too_large =
            || io::Error::new(io::ErrorKind::FileTooLarge, "the tarball unpacks to too much");
        self.left = used.ok_or_else(too_large)?;
        Ok(count)
    }
}

/// Unpacks a tarball to an empty directory. Leaves out links, devices and git repositories, and
/// returns their names. Of a file's mode, only the permission bits are used.
///
/// # Errors
/// When the data is not a tarball, contains a path outside the directory, or is too large.
pub(crate) fn unpack(tarball: &[u8], target: &Path) -> Result<Vec<String>> {
    let most = (tarball.len() as u64).saturating_mul(MAX_RATIO).clamp(SMALL, MAX_BYTES);
    let reader = Limited { inner: MultiGzDecoder::new(tarball), left: most };
    let mut archive = Archive::new(reader);
    let broken = |error: io::Error| Error::new(format!("the tarball cannot be read: {error}"));
    let mut skipped = Vec::new();
    let mut count = 0;
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        count += 1;
        if count > MAX_ENTRIES {
            return Err(Error::new("the tarball has too many entries"));
        }
        let path = entry.path().map_err(broken)?.into_owned();
        let inside = inside(&path)?;
        if let Some(repository) = repository(&inside) {
            // Its configuration can name programs, which git would start in this directory.
            let name = repository.display().to_string();
            if !skipped.contains(&name) {
                skipped.push(name);
            }
            continue;
        }
        match entry.header().entry_type() {
            EntryType::Directory => {
                files::directory_inside(target, &inside)?;
            }
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                write_file(&mut entry, target, &inside)?;
            }
            EntryType::XGlobalHeader => {}
            _ => skipped.push(path.display().to_string()),
        }
    }
    Ok(skipped)
}

/// The path of an entry relative to the target; an error if it is outside.
fn inside(path: &Path) -> Result<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::CurDir => {}
            _ => {
                let text = format!("the tarball has the path {:?}, which leads out of it", path);
                return Err(Error::new(text));
            }
        }
    }
    Ok(out)
}

/// The git repository that a path is in.
fn repository(path: &Path) -> Option<&Path> {
    // Some file systems do not tell `.GIT` from `.git`.
    let is_git = |path: &&Path| path.file_name().is_some_and(|n| n.eq_ignore_ascii_case(".git"));
    path.ancestors().filter(is_git).last()
}

fn write_file<R: Read>(entry: &mut Entry<'_, R>, target: &Path, path: &Path) -> Result<()> {
    let Some(name) = path.file_name() else {
        return Err(Error::new("the tarball has a file without a name"));
    };
    let parent = files::directory_inside(target, path.parent().unwrap_or(Path::new("")))?;
    let out = parent.join(name);
    // A later entry with the same name replaces an earlier one.
    files::remove(&out)?;
    let mode = entry.header().mode().unwrap_or(0o644) & 0o777 | 0o640;
    let mut write = || {
        let mut file = File::create_new(&out)?;
        io::copy(entry, &mut file)?;
        file.set_permissions(fs::Permissions::from_mode(mode))
    };
    write().map_err(|error| Error::path(path, &error))
}

/// The root directory of an unpacked module: the one with the topmost `metadata.json`.
pub(crate) fn module_root(unpacked: &Path) -> Result<PathBuf> {
    let mut level = vec![unpacked.to_path_buf()];
    // Breadth first, so that the shortest path wins.
    while !level.is_empty() {
        let mut next = Vec::new();
        for directory in level {
            if directory.join("metadata.json").is_file() {
                return Ok(directory);
            }
            for name in files::names(&directory)? {
                let path = directory.join(name);
                if path.is_dir() {
                    next.push(path);
                }
            }
        }
        level = next;
    }
    Err(Error::new("the tarball has no metadata.json, so it is no module"))
}
