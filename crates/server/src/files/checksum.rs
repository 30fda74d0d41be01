//! Checksums of files, kept while a file does not change.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ordain_functions::checksum::{Algorithm, Checksum};
use rustix::fs::Stat;

use super::root::Root;

/// The number of checksums that are kept.
const MAX_KNOWN: usize = 1 << 18;

/// The stamp that tells a file from its earlier contents.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    algorithm: Algorithm,
    /// The number of bytes that it covers.
    length: u64,
    place: (u64, u64),
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The checksums of files that were read.
#[derive(Default)]
pub(crate) struct Checksums(Mutex<HashMap<Key, String>>);

impl Checksums {
    /// The checksum of a file below a root, as `{type}value`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn of(
        &self,
        root: &Root,
        below: &Path,
        stat: &Stat,
        kind: Checksum,
    ) -> io::Result<String> {
        let name = kind.name();
        let value = match kind {
            Checksum::Mtime => time(stat.st_mtime),
            Checksum::Ctime => time(stat.st_ctime),
            Checksum::None => String::new(),
            Checksum::Digest(..) => self.of_content(root, below, kind.algorithm())?,
        };
        Ok(format!("{{{name}}}{value}"))
    }

    fn of_content(
        &self,
        root: &Root,
        below: &Path,
        (algorithm, length): (Algorithm, u64),
    ) -> io::Result<String> {
        // The key is of the file that is read, not of one that had its name a moment before.
        let (file, stat) = root.file(below)?;
        let key = Key {
            algorithm,
            length,
            place: (stat.st_dev, stat.st_ino),
            size: stat.st_size,
            modified: (stat.st_mtime, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime, stat.st_ctime_nsec as i64),
        };
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known().get(&key) {
            return Ok(value.clone());
        }
        let value = algorithm.hex(file.take(length))?;
        // A file that changed within the clock's last tick may change again under the same times.
        let now = jiff::Timestamp::now().as_second();
        if now - stat.st_ctime > 2 {
            let mut known = known();
            if known.len() >= MAX_KNOWN {
                known.clear();
            }
            known.insert(key, value.clone());
        }
        Ok(value)
    }
}

/// A time as Puppet writes it.
fn time(seconds: i64) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S +0000").to_string()
}
