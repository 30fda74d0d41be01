//! Caches values that were parsed from files until one of the files changes.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ordain_source::read_input;
use rustc_hash::FxHashMap;

/// The version of a file: device, inode, size, times of change.
pub(crate) type Stamp = Option<(u64, u64, u64, (i64, i64), (i64, i64))>;

/// The stamps of the files, and the value that was loaded from them.
type Entry<T> = (Vec<Stamp>, Arc<T>);

/// Parsed values by the files that they came from.
pub(crate) struct Cached<T> {
    entries: Mutex<FxHashMap<Vec<PathBuf>, Entry<T>>>,
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self { entries: Mutex::default() }
    }
}

impl<T> Cached<T> {
    /// The cached value of these files if they did not change, else the value of `load`.
    pub(crate) fn get<E>(
        &self,
        paths: &[PathBuf],
        load: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        // Before loading, so that a concurrent change is noticed next time.
        let stamps: Vec<_> = paths.iter().map(|p| stamp(p)).collect();
        let mut entries = self.lock();
        if let Some((known, value)) = entries.get(paths)
            && *known == stamps
        {
            return Ok(value.clone());
        }
        let value = Arc::new(load()?);
        entries.insert(paths.to_vec(), (stamps, value.clone()));
        Ok(value)
    }

    /// Clears the cache.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<Vec<PathBuf>, Entry<T>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of a file; `None` if it is not there.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let meta = fs::metadata(path).ok()?;
    let (m, c) = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
    Some((meta.dev(), meta.ino(), meta.size(), m, c))
}

/// The bytes of a file; `None` if it is not there. Pipes and devices, to which a link may lead, are
/// not read: they may have no end.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let is_stream = fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    if is_stream && !fs::canonicalize(path).is_ok_and(|real| real == Path::new("/dev/null")) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe or a device"));
    }
    match read_input(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// The text of a file, with replacement characters for invalid UTF-8; `None` if it does not exist.
pub(crate) fn read_text(path: &Path) -> io::Result<Option<String>> {
    Ok(read_bytes(path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}
