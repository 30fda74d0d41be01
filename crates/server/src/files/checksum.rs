//! Checksums of files, kept while a file does not change.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use md5::Md5;
use ordain_functions::digest::hex;
use rustix::fs::Stat;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use super::root::Root;

/// The number of checksums that are kept.
const MAX_KNOWN: usize = 1 << 18;

/// The bytes of which a `lite` checksum is made.
const LITE: u64 = 512;

/// The types of checksums of Puppet's API.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ChecksumType {
    Md5,
    Md5Lite,
    Sha1,
    Sha1Lite,
    Sha224,
    Sha256,
    Sha256Lite,
    Sha384,
    Sha512,
    Mtime,
    Ctime,
    None,
}

impl ChecksumType {
    /// The type of this name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "md5" => Self::Md5,
            "md5lite" => Self::Md5Lite,
            "sha1" => Self::Sha1,
            "sha1lite" => Self::Sha1Lite,
            "sha224" => Self::Sha224,
            "sha256" => Self::Sha256,
            "sha256lite" => Self::Sha256Lite,
            "sha384" => Self::Sha384,
            "sha512" => Self::Sha512,
            "mtime" => Self::Mtime,
            "ctime" => Self::Ctime,
            "none" => Self::None,
            _ => return None,
        })
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Md5Lite => "md5lite",
            Self::Sha1 => "sha1",
            Self::Sha1Lite => "sha1lite",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha256Lite => "sha256lite",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Mtime => "mtime",
            Self::Ctime => "ctime",
            Self::None => "none",
        }
    }

    fn of_content(self, file: File) -> io::Result<String> {
        match self {
            Self::Md5 => digest::<Md5>(file, u64::MAX),
            Self::Md5Lite => digest::<Md5>(file, LITE),
            Self::Sha1 => digest::<Sha1>(file, u64::MAX),
            Self::Sha1Lite => digest::<Sha1>(file, LITE),
            Self::Sha224 => digest::<Sha224>(file, u64::MAX),
            Self::Sha256 => digest::<Sha256>(file, u64::MAX),
            Self::Sha256Lite => digest::<Sha256>(file, LITE),
            Self::Sha384 => digest::<Sha384>(file, u64::MAX),
            Self::Sha512 => digest::<Sha512>(file, u64::MAX),
            Self::Mtime | Self::Ctime | Self::None => Ok(String::new()),
        }
    }
}

fn digest<D: Digest>(file: File, length: u64) -> io::Result<String> {
    let mut file = file.take(length);
    let mut hasher = D::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex(&hasher.finalize()));
        }
        hasher.update(&buffer[..read]);
    }
}

/// The stamp that tells a file from its earlier contents.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: ChecksumType,
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
        kind: ChecksumType,
    ) -> io::Result<String> {
        let name = kind.name();
        let value = match kind {
            ChecksumType::Mtime => time(stat.st_mtime),
            ChecksumType::Ctime => time(stat.st_ctime),
            ChecksumType::None => String::new(),
            _ => self.of_content(root, below, kind)?,
        };
        Ok(format!("{{{name}}}{value}"))
    }

    fn of_content(&self, root: &Root, below: &Path, kind: ChecksumType) -> io::Result<String> {
        // The key is of the file that is read, not of one that had its name a moment before.
        let (file, stat) = root.file(below)?;
        let key = Key {
            kind,
            place: (stat.st_dev, stat.st_ino),
            size: stat.st_size,
            modified: (stat.st_mtime, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime, stat.st_ctime_nsec as i64),
        };
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known().get(&key) {
            return Ok(value.clone());
        }
        let value = kind.of_content(file)?;
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
