//! PBKDF2 and the HMAC that it is made of.

use sha2::digest::common::BlockSizeUser;
use sha2::{Digest, Sha256, Sha512};

use crate::{Error, Result};

/// The longest password and salt, so that a key is made soon.
const LENGTH_LIMIT: usize = 4096;

fn digest<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = D::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().to_vec()
}

fn hmac<D: Digest + BlockSizeUser>(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let length = D::block_size();
    let mut block = if key.len() > length { digest::<D>(&[key]) } else { key.to_vec() };
    block.resize(length, 0);
    let inner: Vec<u8> = block.iter().map(|b| b ^ 0x36).collect();
    let outer: Vec<u8> = block.iter().map(|b| b ^ 0x5c).collect();
    let mut all: Vec<&[u8]> = vec![&inner];
    all.extend_from_slice(parts);
    digest::<D>(&[&outer, &digest::<D>(&all)])
}

/// HMAC with SHA-256.
pub fn hmac_sha256(key: &[u8], data: &[u8]) -> Vec<u8> {
    hmac::<Sha256>(key, &[data])
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

fn derive<D: Digest + BlockSizeUser>(
    password: &[u8],
    salt: &[u8],
    rounds: u32,
    length: usize,
) -> Result<Vec<u8>> {
    if length > 1024 || rounds > 1_000_000 || password.len().max(salt.len()) > LENGTH_LIMIT {
        return Err(Error::Argument("the key would take too long".into()));
    }
    let mut out = Vec::new();
    let mut index = 1u32;
    while out.len() < length {
        let mut last = hmac::<D>(password, &[salt, &index.to_be_bytes()]);
        let mut sum = last.clone();
        for _ in 1..rounds {
            last = hmac::<D>(password, &[&last]);
            sum.iter_mut().zip(&last).for_each(|(s, l)| *s ^= l);
        }
        out.extend(sum);
        index += 1;
    }
    out.truncate(length);
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_published_vector_agrees() {
        let key = sha512(b"password", b"salt", 1, 16).unwrap();
        assert_eq!(crate::digest::hex(&key), "867f70cf1ade02cff3752599a3a53dc4");
        let key = sha256(b"password", b"salt", 1, 16).unwrap();
        assert_eq!(crate::digest::hex(&key), "120fb6cffcf8b32c43e7225256c4f837");
    }
}
