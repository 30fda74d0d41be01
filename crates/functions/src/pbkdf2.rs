//! PBKDF2 and HMAC with SHA-2, with limits on the time of a key.

use pbkdf2::hmac::{EagerHash, Hmac, KeyInit, Mac};
use pbkdf2::pbkdf2_hmac;
use sha2::{Sha256, Sha512};

use crate::{Error, Result};

/// The maximum length of password and salt, which bounds the time.
const MAX_LENGTH: usize = 4096;

/// HMAC with SHA-256.
pub fn hmac_sha256(key: &[u8], data: &[u8]) -> Vec<u8> {
    match Hmac::<Sha256>::new_from_slice(key) {
        Ok(mac) => mac.chain_update(data).finalize().into_bytes().to_vec(),
        // HMAC takes keys of any length.
        Err(_) => Vec::new(),
    }
}

/// PBKDF2 with HMAC and SHA-256.
///
/// # Errors
/// [`Error::Argument`] if the work would take too long.
pub fn sha256(password: &[u8], salt: &[u8], rounds: u32, length: usize) -> Result<Vec<u8>> {
    derive::<Sha256>(password, salt, rounds, length)
}

/// PBKDF2 with HMAC and SHA-512.
///
/// # Errors
/// [`Error::Argument`] if the work would take too long.
pub fn sha512(password: &[u8], salt: &[u8], rounds: u32, length: usize) -> Result<Vec<u8>> {
    derive::<Sha512>(password, salt, rounds, length)
}

fn derive<D: EagerHash>(
    password: &[u8],
    salt: &[u8],
    rounds: u32,
    length: usize,
) -> Result<Vec<u8>> {
    if length > 1024 || rounds > 1_000_000 || password.len().max(salt.len()) > MAX_LENGTH {
        return Err(Error::Argument("the key would take too long".into()));
    }
    let mut out = vec![0; length];
    pbkdf2_hmac::<D>(password, salt, rounds, &mut out);
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::digest::hex;

    #[test]
    fn a_published_vector_agrees() {
        let key = sha512(b"password", b"salt", 1, 16).unwrap();
        assert_eq!(hex(&key), "867f70cf1ade02cff3752599a3a53dc4");
        let key = sha256(b"password", b"salt", 1, 16).unwrap();
        assert_eq!(hex(&key), "120fb6cffcf8b32c43e7225256c4f837");
    }

    #[test]
    fn keys_of_several_blocks() {
        // Of Python's hashlib.pbkdf2_hmac.
        let key = sha512(b"p\xc3\xa4ss", b"salt and more", 3, 100).unwrap();
        assert_eq!(
            hex(&key),
            "5f5b2a6e74a937caf3594a6ddc2034f1709845c7674d794f2412b9ede59278d49d7c82841998c88df8a34a5c68f16e2a7c105129ee7e273082277cd7c19f56a0f7b226bf27add5dd12f2b9fa5466124c7ab8cb6523adc40e9e4e2fc421d286c7a5f4cc93"
        );
        // From the tests of Python's hmac, with a key longer than a block.
        assert_eq!(
            hex(&hmac_sha256(&[7; 100], b"text")),
            "550617bcd5853658a1017e4c6a630985d62924fcae597d298f9a64b74f041dd2"
        );
        assert!(sha512(b"", b"", 1_000_001, 16).is_err());
    }
}
