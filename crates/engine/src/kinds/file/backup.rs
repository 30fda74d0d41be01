//! Keeping what is replaced or removed.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, linkat, renameat, unlinkat};

use super::checksum::Algorithm;
use crate::host::Host;
use crate::kinds::walk::{Place, is};
use crate::kinds::write;

/// Where replaced content goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Backup {
    /// Nowhere.
    None,
    /// Beside the file, with this after its name.
    Suffix(String),
    /// Into this directory of the machine, by digest.
    Bucket(PathBuf),
}

impl Backup {
    /// The directory of the machine that it goes into.
    pub(super) fn bucket(&self) -> Option<&Path> {
        match self {
            Self::Bucket(path) => Some(path),
            Self::None | Self::Suffix(_) => None,
        }
    }

    /// Keeps what stands at a place; it is still there afterwards, except that a directory may
    /// have been moved aside.
    pub(super) fn keep(&self, place: &Place, shown: &Path, host: &Host) -> io::Result<()> {
        let Some(stat) = place.stat()? else { return Ok(()) };
        match self {
            Self::None => Ok(()),
            Self::Suffix(suffix) => {
                let mut name = place.name.clone();
                name.push(suffix);
                if is(&stat, FileType::Directory) {
                    write::remove(&Place { dir: place.dir.try_clone()?, name: name.clone() })?;
                    return Ok(renameat(&place.dir, &place.name, &place.dir, &name)?);
                }
                if is(&stat, FileType::RegularFile) {
                    return link_beside(place, &name);
                }
                Ok(())
            }
            Self::Bucket(bucket) => {
                let bucket = host.path(bucket);
                if is(&stat, FileType::RegularFile) {
                    return store(&bucket, place.open()?, shown);
                }
                if is(&stat, FileType::Directory) {
                    return store_tree(&bucket, &write::real_path(place), shown);
                }
                Ok(())
            }
        }
    }
}

/// A second name for the file: its content stays when the first name gets another.
fn link_beside(place: &Place, name: &OsString) -> io::Result<()> {
    let temporary = write::temporary_name(&place.name);
    linkat(&place.dir, &place.name, &place.dir, &temporary, AtFlags::empty())?;
    let renamed = renameat(&place.dir, &temporary, &place.dir, name);
    // Renaming one name of a file over another name of it leaves both.
    let _ = unlinkat(&place.dir, &temporary, AtFlags::empty());
    Ok(renamed?)
}

fn store_tree(bucket: &Path, real: &Path, shown: &Path) -> io::Result<()> {
    let mut todo = vec![(real.to_path_buf(), shown.to_path_buf())];
    while let Some((dir, shown)) = todo.pop() {
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            let (kind, shown) = (entry.file_type()?, shown.join(entry.file_name()));
            if kind.is_dir() {
                todo.push((entry.path(), shown));
            } else if kind.is_file() {
                store(bucket, std::fs::File::open(entry.path())?, &shown)?;
            }
        }
    }
    Ok(())
}

/// Makes a directory and those above it, for root and its group alone.
fn make_directories(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    dir.parent().map_or(Ok(()), make_directories)?;
    match std::fs::DirBuilder::new().mode(0o700).create(dir) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => {
            made?;
            std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o770))
        }
    }
}

/// Stores content under its digest, with the paths that it had in a file beside it: as Puppet's
/// own buckets have it, so that its tools find what is there.
fn store(bucket: &Path, mut file: std::fs::File, shown: &Path) -> io::Result<()> {
    use std::io::Seek;
    let digest = Algorithm::Sha256.hex(&file)?;
    file.rewind()?;
    let levels = digest.chars().take(8).map(String::from);
    let dir = bucket.join(levels.collect::<PathBuf>()).join(&digest);
    make_directories(&dir)?;
    let contents = dir.join("contents");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).mode(0o440);
    if !contents.exists() {
        let temporary = dir.join(write::temporary_name("contents".as_ref()));
        let mut out = options.create_new(true).open(&temporary)?;
        let done = io::copy(&mut file, &mut out).and_then(|_| out.sync_all());
        if let Err(error) = done.and_then(|()| std::fs::rename(&temporary, &contents)) {
            // The error that led here matters more.
            let _ = std::fs::remove_file(&temporary);
            return Err(error);
        }
    }
    let paths = dir.join("paths");
    let line = [shown.as_os_str().as_bytes(), b"\n"].concat();
    let known = std::fs::read(&paths).unwrap_or_default();
    if !known.split_inclusive(|b| *b == b'\n').any(|l| l == line) {
        let mut append = std::fs::OpenOptions::new();
        append.append(true).create(true).mode(0o640).open(&paths)?.write_all(&line)?;
    }
    Ok(())
}
