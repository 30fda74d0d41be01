//! The file bucket: contents that nodes have replaced, by digest. Each node has its own objects,
//! and none can see the objects of another one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ordain_ca::Certname;
use ordain_functions::digest;
use rustix::fs::{FlockOperation, flock};

/// The bucket.
pub(crate) struct Bucket {
    dir: PathBuf,
    /// The maximum number of bytes that a node may store.
    max_bytes: u64,
}

/// The digest of a content, as in URLs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Digest {
    kind: &'static str,
    value: String,
}

/// The reason why a content is not stored.
#[derive(Debug)]
pub(crate) enum BucketError {
    /// The content has another digest.
    Mismatch,
    /// The node has stored too much.
    Full,
    /// The directory does not work.
    Io(io::Error),
}

impl From<io::Error> for BucketError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Digest {
    /// Reads the type and value of a digest.
    pub(crate) fn parse(kind: &str, value: &str) -> Option<Self> {
        let kinds = [("md5", 32), ("sha256", 64), ("sha384", 96), ("sha512", 128)];
        let (kind, length) = kinds.into_iter().find(|(name, _)| *name == kind)?;
        let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let is_valid = value.len() == length && value.bytes().all(is_hex);
        is_valid.then(|| Self { kind, value: value.to_string() })
    }

    fn is_of(&self, content: &[u8]) -> bool {
        let value = match self.kind {
            "md5" => digest::md5(content),
            "sha256" => digest::sha256(content),
            "sha384" => digest::sha384(content),
            _ => digest::sha512(content),
        };
        value == self.value
    }
}

impl Bucket {
    /// A bucket in a directory, with a limit for each node.
    pub(crate) fn new(dir: PathBuf, max_bytes: u64) -> Self {
        Self { dir, max_bytes }
    }

    /// Whether a node has stored a content.
    pub(crate) fn has(&self, node: &Certname, digest: &Digest) -> bool {
        self.path(node, digest).is_file()
    }

    /// A content that a node has stored.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn get(&self, node: &Certname, digest: &Digest) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.path(node, digest)) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Stores a content of a node.
    ///
    /// # Errors
    /// When the content has another digest, or the node has stored too much.
    pub(crate) fn put(
        &self,
        node: &Certname,
        digest: &Digest,
        content: &[u8],
    ) -> Result<(), BucketError> {
        if !digest.is_of(content) {
            return Err(BucketError::Mismatch);
        }
        let path = self.path(node, digest);
        if path.is_file() {
            return Ok(());
        }
        let dir = self.dir.join(node.as_str());
        fs::create_dir_all(&dir)?;
        let lock = File::open(&dir)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(io::Error::from)?;
        if self.used(&dir)?.saturating_add(content.len() as u64) > self.max_bytes {
            return Err(BucketError::Full);
        }
        let mut file = tempfile::NamedTempFile::new_in(&dir)?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        lock.sync_all()?;
        Ok(())
    }

    fn used(&self, dir: &Path) -> io::Result<u64> {
        let mut sum = 0;
        for entry in fs::read_dir(dir)? {
            sum += entry?.metadata().map_or(0, |metadata| metadata.len());
        }
        Ok(sum)
    }

    fn path(&self, node: &Certname, digest: &Digest) -> PathBuf {
        self.dir.join(node.as_str()).join(format!("{}-{}", digest.kind, digest.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_belong_to_their_node() {
        let dir = tempfile::tempdir().unwrap();
        let bucket = Bucket::new(dir.path().to_path_buf(), 10);
        let name = |text| Certname::new(text).unwrap();
        let of = |text: &[u8]| Digest::parse("md5", &digest::md5(text)).unwrap();
        let (a, b) = (name("a.example.org"), name("b.example.org"));
        bucket.put(&a, &of(b"hello"), b"hello").unwrap();
        assert!(bucket.has(&a, &of(b"hello")) && !bucket.has(&b, &of(b"hello")));
        assert_eq!(bucket.get(&a, &of(b"hello")).unwrap().unwrap(), b"hello");
        assert_eq!(bucket.get(&b, &of(b"hello")).unwrap(), None);
        let wrong = bucket.put(&a, &of(b"hello"), b"other");
        assert!(matches!(wrong, Err(BucketError::Mismatch)));
        let full = bucket.put(&a, &of(b"world!"), b"world!");
        assert!(matches!(full, Err(BucketError::Full)));
        bucket.put(&b, &of(b"world!"), b"world!").unwrap();
    }

    #[test]
    fn digests_are_hexadecimal() {
        assert!(Digest::parse("md5", &"a".repeat(32)).is_some());
        for (kind, value) in
            [("md5", "a"), ("md4", "aa"), ("md5", &"A".repeat(32)), ("sha256", "../x")]
        {
            assert!(Digest::parse(kind, value).is_none(), "{kind} {value}");
        }
    }
}
