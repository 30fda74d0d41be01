//! Digests of content, and other ways to detect changes.

use std::io::{self, Read};

use ordain_functions::digest::hex;
use sha2::Digest;

/// The way in which content is compared and shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Checksum {
    /// A digest of everything, or of the beginning only.
    Digest(Algorithm, bool),
    /// The time of the last change of content.
    Mtime,
    /// The time of the last change of anything.
    Ctime,
    /// Never compared.
    None,
}

/// A digest algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// The number of bytes that a `lite` digest covers.
pub(super) const LITE: u64 = 512;

/// The names, in the order of [`Checksum::from_index`].
pub(crate) const NAMES: [&str; 13] = [
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
    pub(crate) fn from_index(index: usize) -> Self {
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

    /// The name, for messages.
    pub(super) fn name(self) -> &'static str {
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
    pub(crate) fn algorithm(self) -> (Algorithm, u64) {
        match self {
            Self::Digest(algorithm, lite) => (algorithm, if lite { LITE } else { u64::MAX }),
            _ => (Algorithm::Sha256, u64::MAX),
        }
    }

    /// `{sha256}…` of the content of a reader.
    pub(super) fn show(self, reader: impl Read) -> io::Result<String> {
        let (algorithm, limit) = self.algorithm();
        let name = if let Self::Digest(..) = self { self.name() } else { "sha256" };
        Ok(format!("{{{name}}}{}", algorithm.hex(reader.take(limit))?))
    }
}

impl Algorithm {
    /// The digest in hexadecimal.
    pub(crate) fn hex(self, reader: impl Read) -> io::Result<String> {
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
    let mut buffer = Buffer::default();
    loop {
        match reader.read(buffer.next()) {
            Ok(0) => break,
            Ok(n) => hasher.update(&buffer.0[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(hex(&hasher.finalize()))
}

/// A read buffer: small at first, since most files are small and a buffer has to be cleared.
#[derive(Default)]
struct Buffer(Vec<u8>);

impl Buffer {
    fn next(&mut self) -> &mut [u8] {
        let size = if self.0.is_empty() { 4 << 10 } else { 64 << 10 };
        if self.0.len() < size {
            self.0.resize(size, 0);
        }
        &mut self.0
    }
}

/// Whether two readers give the same bytes.
pub(super) fn same(mut a: impl Read, mut b: impl Read) -> io::Result<bool> {
    let (mut first, mut second) = (Buffer::default(), Buffer::default());
    loop {
        let (x, y) = (first.next(), second.next());
        let n = fill(&mut a, x)?;
        let m = fill(&mut b, y)?;
        if x[..n] != y[..m] {
            return Ok(false);
        }
        if n < x.len() {
            return Ok(true);
        }
    }
}

fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
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

    #[test]
    fn readers_compare_by_all_their_bytes() {
        let a = vec![1; 200_000];
        let mut b = a.clone();
        assert!(same(&a[..], &b[..]).unwrap());
        b[199_999] = 2;
        assert!(!same(&a[..], &b[..]).unwrap());
        assert!(!same(&a[..], &a[..199_999]).unwrap());
    }
}
