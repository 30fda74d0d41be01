//! The encryption key of the store, which is not in the database.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};

use crate::error::FleetStoreError;

/// The length of the key in bytes.
const LENGTH: usize = 32;

/// The length of a nonce in bytes: long enough that random nonces do not repeat.
const NONCE: usize = 24;

/// Encrypts the secrets in the database with XChaCha20-Poly1305. All servers that share a database
/// need the same key. Without the key, the secrets are lost.
#[derive(Clone)]
pub struct StoreKey {
    encryption: [u8; LENGTH],
    naming: [u8; LENGTH],
}

impl std::fmt::Debug for StoreKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StoreKey(..)")
    }
}

impl StoreKey {
    /// A key with these bytes, which should be random.
    pub fn from_bytes(key: [u8; LENGTH]) -> Self {
        // Derives two independent keys: one for encryption, one for digests of contents.
        let derive = |purpose: &str| {
            let mut hash = Sha256::new();
            hash.update(key);
            hash.update(purpose);
            hash.finalize().into()
        };
        Self { encryption: derive("ordain store: seal"), naming: derive("ordain store: name") }
    }

    /// Reads the key from a file. Creates a missing file with mode 0600.
    ///
    /// # Errors
    /// When the file cannot be read or created, has the wrong length, or other users may use it.
    pub fn open(path: &Path) -> Result<Self, FleetStoreError> {
        let failed = |reason: String| FleetStoreError::File { path: path.to_path_buf(), reason };
        match File::open(path) {
            Ok(file) => read(file).map(Self::from_bytes).map_err(failed),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                create(path).map_err(failed)?;
                // Another server may have created the file first.
                let file = File::open(path).map_err(|e| failed(e.to_string()))?;
                read(file).map(Self::from_bytes).map_err(failed)
            }
            Err(e) => Err(failed(e.to_string())),
        }
    }

    /// Encrypts a content. The same `name` is needed to decrypt it.
    ///
    /// # Errors
    /// When the system has no random numbers, or the content is too large.
    pub fn encrypt(&self, name: &[u8], content: &[u8]) -> Result<Vec<u8>, FleetStoreError> {
        let mut nonce = [0u8; NONCE];
        getrandom::fill(&mut nonce).map_err(|e| FleetStoreError::failed(e.to_string()))?;
        let cipher = XChaCha20Poly1305::new(&self.encryption.into());
        let payload = Payload { msg: content, aad: name };
        let encrypted = cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| FleetStoreError::failed("a secret is too large"))?;
        Ok([nonce.as_slice(), &encrypted].concat())
    }

    /// Decrypts a content. `None` if the key or the name is wrong, or the content was modified.
    pub fn decrypt(&self, name: &[u8], encrypted: &[u8]) -> Option<Vec<u8>> {
        let (nonce, encrypted) = encrypted.split_at_checked(NONCE)?;
        let nonce: [u8; NONCE] = nonce.try_into().ok()?;
        let cipher = XChaCha20Poly1305::new(&self.encryption.into());
        cipher.decrypt(&XNonce::from(nonce), Payload { msg: encrypted, aad: name }).ok()
    }

    /// The digest of a secret content: HMAC-SHA-256, so that nobody can confirm a guess at the
    /// content without the key.
    pub(crate) fn name(&self, content: &[u8]) -> [u8; 32] {
        // RFC 2104 pads a key that is shorter than a block.
        let pad = |byte: u8| {
            let mut block = [byte; 64];
            for (place, key) in block.iter_mut().zip(self.naming) {
                *place ^= key;
            }
            block
        };
        let mut inner = Sha256::new();
        inner.update(pad(0x36));
        inner.update(content);
        let mut outer = Sha256::new();
        outer.update(pad(0x5c));
        outer.update(inner.finalize());
        outer.finalize().into()
    }
}

fn read(mut file: File) -> Result<[u8; LENGTH], String> {
    let mode = file.metadata().map_err(|e| e.to_string())?.mode();
    if mode & 0o077 != 0 {
        return Err(format!("others may use the key (mode {:04o})", mode & 0o7777));
    }
    let mut key = [0u8; LENGTH];
    file.read_exact(&mut key).map_err(|_| format!("the key is shorter than {LENGTH} bytes"))?;
    match file.read(&mut [0]) {
        Ok(0) => Ok(key),
        Ok(_) => Err(format!("the key is longer than {LENGTH} bytes")),
        Err(e) => Err(e.to_string()),
    }
}

/// Creates the file atomically.
fn create(path: &Path) -> Result<(), String> {
    let mut key = [0u8; LENGTH];
    getrandom::fill(&mut key).map_err(|e| e.to_string())?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".new-{}", std::process::id()));
    let temporary = path.with_file_name(name);
    let io = |e: std::io::Error| e.to_string();
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)
        .map_err(io)?;
    file.write_all(&key).and_then(|()| file.sync_all()).map_err(io)?;
    // A link fails if the name exists. A rename would replace another server's key.
    let linked = match std::fs::hard_link(&temporary, path) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => Err(io(e)),
        _ => Ok(()),
    };
    std::fs::remove_file(&temporary).map_err(io)?;
    linked?;
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new("."))).and_then(|dir| dir.sync_all()).map_err(io)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_name_is_an_hmac() {
        // RFC 4231, test case 1: a key of 20 bytes. Shorter keys are padded with zeros.
        let mut naming = [0u8; 32];
        naming[..20].fill(0x0b);
        let key = StoreKey { encryption: [0; 32], naming };
        let hex: String = key.name(b"Hi There").iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hex, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }

    #[test]
    fn changed_or_misplaced_secrets_do_not_open() {
        let key = StoreKey::from_bytes([7; 32]);
        let encrypted = key.encrypt(b"a", b"content").unwrap();
        assert_eq!(key.decrypt(b"a", &encrypted).as_deref(), Some(b"content".as_slice()));
        assert_eq!(key.decrypt(b"b", &encrypted), None);
        assert_eq!(StoreKey::from_bytes([8; 32]).decrypt(b"a", &encrypted), None);
        for i in 0..encrypted.len() {
            let mut changed = encrypted.clone();
            changed[i] ^= 1;
            assert_eq!(key.decrypt(b"a", &changed), None);
        }
        assert_eq!(key.decrypt(b"a", &encrypted[..10]), None);
    }

    #[test]
    fn keys_in_files_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.key");
        let key = StoreKey::open(&path).unwrap();
        assert_eq!(StoreKey::open(&path).unwrap().name(b"x"), key.name(b"x"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(StoreKey::open(&path).unwrap_err().to_string().contains("others may use"));
    }
}
