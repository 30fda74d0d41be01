//! The checksums of Puppet's files: digests of content, and other ways to detect changes.

use std::io::{self, Read};

use sha2::Digest;

use crate::digest::hex;

/// The way in which content is compared and shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Checksum {
    /// A digest of everything, or of the first [`LITE`] bytes if true.
    Digest(Algorithm, bool),
    /// The time of the last change of content.
    Mtime,
    /// The time of the last change of anything.
    Ctime,
    /// Never compared.
    None,
}

/// A digest algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Algorithm {
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-2 with 224 bits.
    Sha224,
    /// SHA-2 with 256 bits.
    Sha256,
    /// SHA-2 with 384 bits.
    Sha384,
    /// SHA-2 with 512 bits.
    Sha512,
}

/// The number of bytes that a `lite` digest covers.
pub const LITE: u64 = 512;

/// The names, in the order of [`Checksum::from_index`].
pub const NAMES: [&str; 13] = [
    "sha256",
    "sha256lite",
    "md5",
    "md5lite",
    "sha1",
    "sha1lite",
    "sha512",
    "sha384",
    "sha224",
    "mtime",
    "ctime",
    "none",
    "etag",
];

impl Checksum {
    /// The checksum of the name with this index in [`NAMES`].
    pub fn from_index(index: usize) -> Self {
        match index {
            1 => Self::Digest(Algorithm::Sha256, true),
            2 => Self::Digest(Algorithm::Md5, false),
            3 => Self::Digest(Algorithm::Md5, true),
            4 => Self::Digest(Algorithm::Sha1, false),
            5 => Self::Digest(Algorithm::Sha1, true),
            6 => Self::Digest(Algorithm::Sha512, false),
            7 => Self::Digest(Algorithm::Sha384, false),
            8 => Self::Digest(Algorithm::Sha224, false),
            9 => Self::Mtime,
            10 => Self::Ctime,
            11 => Self::None,
            _ => Self::Digest(Algorithm::Sha256, false),
        }
    }

    /// The checksum of this name. An entity tag is none.
    pub fn from_name(name: &str) -> Option<Self> {
        let index = NAMES.iter().position(|known| *known == name && name != "etag")?;
        Some(Self::from_index(index))
    }

    /// The name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Digest(Algorithm::Md5, lite) => NAMES[2 + usize::from(lite)],
            Self::Digest(Algorithm::Sha1, lite) => NAMES[4 + usize::from(lite)],
            Self::Digest(Algorithm::Sha256, lite) => NAMES[usize::from(lite)],
            Self::Digest(Algorithm::Sha512, _) => NAMES[6],
            Self::Digest(Algorithm::Sha384, _) => NAMES[7],
            Self::Digest(Algorithm::Sha224, _) => NAMES[8],
            Self::Mtime => NAMES[9],
            Self::Ctime => NAMES[10],
            Self::None => NAMES[11],
        }
    }

    /// The algorithm and how many bytes count.
    pub fn algorithm(self) -> (Algorithm, u64) {
        match self {
            Self::Digest(algorithm, lite) => (algorithm, if lite { LITE } else { u64::MAX }),
            _ => (Algorithm::Sha256, u64::MAX),
        }
    }

    /// `{sha256}…` of the content of a reader.
    ///
    /// # Errors
    /// When the content cannot be read.
    pub fn show(self, reader: impl Read) -> io::Result<String> {
        let (algorithm, limit) = self.algorithm();
        let name = if let Self::Digest(..) = self { self.name() } else { "sha256" };
        Ok(format!("{{{name}}}{}", algorithm.hex(reader.take(limit))?))
    }
}

impl Algorithm {
    /// The digest in hexadecimal.
    ///
    /// # Errors
    /// When the content cannot be read.
    pub fn hex(self, reader: impl Read) -> io::Result<String> {
        match self {
            Self::Md5 => digest::<md5::Md5>(reader),
            Self::Sha1 => digest::<sha1::Sha1>(reader),
            Self::Sha224 => digest::<sha2::Sha224>(reader),
            Self::Sha256 => digest::<sha2::Sha256>(reader),
            Self::Sha384 => digest::<sha2::Sha384>(reader),
            Self::Sha512 => digest::<sha2::Sha512>(reader),
        }
    }
}

fn digest<D: Digest>(mut reader: impl Read) -> io::Result<String> {
    let mut hasher = D::new();
    // Small at first, since most files are small and a buffer has to be cleared.
    let mut buffer = vec![0; 4 << 10];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                hasher.update(&buffer[..n]);
                buffer.resize(64 << 10, 0);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(hex(&hasher.finalize()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_match_their_index() {
        for (i, name) in NAMES.iter().enumerate().take(12) {
            assert_eq!(Checksum::from_index(i).name(), *name);
        }
    }

    #[test]
    fn digests() {
        let show = |i| Checksum::from_index(i).show(&b"x"[..]).unwrap();
        assert_eq!(show(2), "{md5}9dd4e461268c8034f5c8564e155c67a6");
        assert!(show(0).starts_with("{sha256}2d711642b726b044"));
        let long = vec![b'a'; 1000];
        let lite = Checksum::Digest(Algorithm::Md5, true);
        assert_eq!(lite.show(&long[..]).unwrap(), lite.show(&long[..512]).unwrap());
    }
}
