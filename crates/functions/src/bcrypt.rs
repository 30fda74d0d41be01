//! bcrypt, the password hash that is built on Blowfish.
//!
//! The crate `bcrypt` computes the hash. Its text format is not used, because it refuses costs
//! below 4 and the prefix `$2x$`, which crypt(3) accepts.

use base64::Engine;
use base64::alphabet::BCRYPT;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::{Error, Result};

/// The letters of bcrypt, by their values.
pub const ALPHABET: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// The maximum number of significant bytes of a password, including its terminator.
const MAX_LENGTH: usize = 72;
/// The length of a hash in bytes.
const DIGEST: usize = 23;
/// The number of characters of a salt.
const SALT: usize = 22;
/// The maximum cost for [`hash`]: each step doubles the time, and 31 would take days.
pub const MAX_COST: u32 = 16;

/// The 23 bytes of the hash of a password.
///
/// ```
/// use ordain_functions::bcrypt::{digest, encode};
/// let sum = digest(b"", 4, &[0; 16]);
/// assert_eq!(encode(&sum).len(), 31);
/// ```
pub fn digest(password: &[u8], cost: u32, salt: &[u8; 16]) -> Vec<u8> {
    let mut key = password.to_vec();
    key.push(0);
    key.truncate(MAX_LENGTH);
    digest_of_key(&key, cost, salt)
}

/// The hash of a non-empty key of at most 72 bytes.
fn digest_of_key(key: &[u8], cost: u32, salt: &[u8; 16]) -> Vec<u8> {
    let mut out = bcrypt::bcrypt(cost, *salt, key).to_vec();
    out.truncate(DIGEST);
    out
}

/// The key that the faulty code behind `$2x$` would compute: it read bytes as signed numbers, so
/// that a non-ASCII byte hides the preceding bytes of the same word.
fn faulty_key(password: &[u8]) -> Vec<u8> {
    let mut bytes = password.iter().chain([&0]).cycle();
    let mut out = Vec::with_capacity(MAX_LENGTH);
    for _ in 0..MAX_LENGTH / 4 {
        let word = bytes.by_ref().take(4).fold(0_u32, |word, byte| {
            let signed = i32::from(byte.cast_signed());
            (word << 8) | signed.cast_unsigned()
        });
        out.extend(word.to_be_bytes());
    }
    out
}

/// Base64 with the alphabet of bcrypt. crypt(3) ignores the last bits of a salt.
const LETTERS: GeneralPurpose = GeneralPurpose::new(
    &BCRYPT,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// Encodes bytes in the alphabet of bcrypt, which is another one than that of base64.
pub fn encode(bytes: &[u8]) -> String {
    LETTERS.encode(bytes)
}

/// Decodes such text; `None` if it contains other characters.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    LETTERS.decode(text).ok()
}

/// Hashes a password as crypt(3) does with a setting `$PREFIX$COST$SALT`: the cost is two digits,
/// the salt 22 letters, and the prefix `2a`, `2b`, `2x` or `2y`.
///
/// # Errors
/// [`Error::Argument`] if the setting is invalid, or the cost too high.
///
/// ```
/// use ordain_functions::bcrypt::hash;
/// let hashed = hash("U*U", "2a", "05$CCCCCCCCCCCCCCCCCCCCC.")?;
/// assert_eq!(hashed, "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW");
/// # Ok::<(), ordain_functions::Error>(())
/// ```
pub fn hash(password: &str, prefix: &str, setting: &str) -> Result<String> {
    let bad = || Error::Argument("the salt of a bcrypt hash is a cost and 22 letters".into());
    let (cost, salt) = setting.split_once('$').ok_or_else(bad)?;
    let (letters, _) = salt.split_at_checked(SALT).ok_or_else(bad)?;
    let bytes = decode(letters).and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
    let (bytes, level) = (bytes.ok_or_else(bad)?, cost.parse::<u32>().map_err(|_| bad())?);
    if level > MAX_COST {
        return Err(Error::Argument(format!(
            "a bcrypt hash of cost {level} would take too long; the highest is {MAX_COST}"
        )));
    }
    let sum = match prefix {
        "2x" => digest_of_key(&faulty_key(password.as_bytes()), level, &bytes),
        _ => digest(password.as_bytes(), level, &bytes),
    };
    Ok(format!("${prefix}${cost}${}{}", encode(&bytes), encode(&sum)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn known_hashes() {
        // From the tests of crypt_blowfish; the fault affects the third.
        for (password, prefix, setting, expected) in [
            ("U*U*", "2b", "05$CCCCCCCCCCCCCCCCCCCCC.", "VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
            ("", "2y", "05$CCCCCCCCCCCCCCCCCCCCC.", "7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
        ] {
            let hashed = hash(password, prefix, setting).unwrap();
            assert_eq!(hashed, format!("${prefix}${setting}{expected}"));
        }
    }

    #[test]
    fn the_fault_only_shows_beyond_ascii() {
        let setting = "04$abcdefghijklmnopqrstuu";
        let of = |password, prefix| hash(password, prefix, setting).unwrap()[4..].to_owned();
        assert_eq!(of("plain", "2x"), of("plain", "2y"));
        assert_ne!(of("größe", "2x"), of("größe", "2y"));
    }

    #[test]
    fn low_costs_and_last_bits_are_those_of_crypt() {
        // From libxcrypt, which accepts costs from 4; the salt ends with insignificant bits.
        let hashed = hash("x", "2b", "04$CCCCCCCCCCCCCCCCCCCCC/").unwrap();
        assert_eq!(&hashed[..29], "$2b$04$CCCCCCCCCCCCCCCCCCCCC.");
        assert_eq!(decode("C/"), decode("C."));
    }

    #[test]
    fn work_that_would_take_days_is_refused() {
        assert!(hash("x", "2b", "31$CCCCCCCCCCCCCCCCCCCCC.").is_err());
        assert!(hash("x", "2b", "05$short").is_err());
    }
}
