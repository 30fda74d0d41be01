//! Backups of files that are replaced or removed.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, linkat, renameat, unlinkat};

use crate::system::host::Host;
use crate::system::path::{Place, is, real_path};
use crate::system::write;
use crate::system::write::Data;
use ordain_functions::checksum::Algorithm;

/// The destination of replaced content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Backup {
    /// Nowhere.
    None,
    /// Next to the file, with this suffix.
    Suffix(String),
    /// Into this directory of the machine, by digest.
    Bucket(PathBuf),
}

impl Backup {
    /// The directory of the machine that stores the content.
    pub(super) fn bucket(&self) -> Option<&Path> {
        match self {
            Self::Bucket(path) => Some(path),
            Self::None | Self::Suffix(_) => None,
        }
    }

    /// Backs up the file at a place. The file stays there, but a directory may be moved away.
    pub(super) fn keep(&self, place: &Place, shown: &Path, host: &Host) -> io::Result<()> {
        let Some(stat) = place.stat()? else { return Ok(()) };
        match self {
            Self::None => Ok(()),
            Self::Suffix(suffix) => {
                let mut name = place.name.clone();
                name.push(suffix);
                if is(&stat, FileType::Directory) {
                    write::remove(
                        host,
                        &Place { dir: place.dir.try_clone()?, name: name.clone() },
                    )?;
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
                    return store_tree(&bucket, &real_path(place), shown);
                }
                Ok(())
            }
        }
    }
}

/// Creates a second hard link to the file: its content stays when the first name is replaced.
fn link_beside(place: &Place, name: &OsString) -> io::Result<()> {
    let temporary = write::temporary_name(&place.name);
    linkat(&place.dir, &place.name, &place.dir, &temporary, AtFlags::empty())?;
    let renamed = renameat(&place.dir, &temporary, &place.dir, name);
    // Renaming one hard link of a file over another leaves both.
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

/// Creates a directory of a bucket and those above it, accessible to root and its group only.
/// Directories above the bucket are created in one step, because later runs would not repair them.
fn make_directories(bucket: &Path, dir: &Path) -> io::Result<()> {
    let for_group = || std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o770));
    if let Ok(meta) = dir.metadata()
        && meta.is_dir()
    {
        // A killed run may have created it without setting its permissions.
        let is_new = dir.starts_with(bucket) && meta.permissions().mode() & 0o777 == 0o700;
        let is_empty = || Ok::<_, io::Error>(std::fs::read_dir(dir)?.next().is_none());
        return if is_new && is_empty()? { for_group() } else { Ok(()) };
    }
    let Some(parent) = dir.parent() else { return Ok(()) };
    make_directories(bucket, parent)?;
    let is_of_bucket = dir.starts_with(bucket);
    let mode = if is_of_bucket { 0o700 } else { 0o750 };
    match std::fs::DirBuilder::new().mode(mode).create(dir) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        made => made?,
    }
    if is_of_bucket {
        for_group()?;
    }
    std::fs::File::open(dir)?.sync_all()?;
    std::fs::File::open(parent)?.sync_all()
}

/// Stores content under its digest, with its paths in a file beside it. The layout is that of
/// Puppet's buckets, so that Puppet's tools find the content.
fn store(bucket: &Path, mut file: std::fs::File, shown: &Path) -> io::Result<()> {
    use std::io::Seek;
    let digest = Algorithm::Sha256.hex(&file)?;
    file.rewind()?;
    let levels = digest.chars().take(8).map(String::from);
    let dir = bucket.join(levels.collect::<PathBuf>()).join(&digest);
    make_directories(bucket, &dir)?;
    let write = |name: &str, data: &Data<'_>, mode| {
        let place = Place { dir: std::fs::File::open(&dir)?.into(), name: name.into() };
        write::replace_file_unchecked(&place, data, (None, None), mode)
    };
    if !dir.join("contents").exists() {
        let from = format!("/proc/self/fd/{}", file.as_raw_fd());
        write("contents", &Data::File(Path::new(&from)), 0o440)?;
    }
    let line = [shown.as_os_str().as_bytes(), b"\n"].concat();
    let mut known = std::fs::read(dir.join("paths")).unwrap_or_default();
    if !known.split_inclusive(|b| *b == b'\n').any(|l| l == line) {
        known.extend(line);
        write("paths", &Data::Bytes(&known), 0o640)?;
    }
    Ok(())
}
