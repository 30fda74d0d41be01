//! bcrypt, the password hash that is built on Blowfish.

use blowfish::Blowfish;

use crate::{Error, Result};

/// The letters of bcrypt, by their values.
pub const ALPHABET: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// The bytes of a password that count, its end included.
const MAX_LENGTH: usize = 72;
const ROUNDS: usize = 64;
/// How many characters a salt has.
const SALT: usize = 22;
/// The highest cost that [`hash`] takes: each more doubles the time, and 31 would take days.
pub const HIGHEST_COST: u32 = 16;

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

fn digest_of_key(key: &[u8], cost: u32, salt: &[u8; 16]) -> Vec<u8> {
    let mut state: Blowfish = Blowfish::bc_init_state();
    state.salted_expand_key(salt, key);
    for _ in 0..1_u64 << cost {
        state.bc_expand_key(key);
        state.bc_expand_key(salt);
    }
    let mut words = [0x4f72_7068, 0x6561_6e42, 0x6568_6f6c, 0x6465_7253, 0x6372_7944, 0x6f75_6274];
    for pair in words.chunks_exact_mut(2) {
        for _ in 0..ROUNDS {
            let next = state.bc_encrypt([pair[0], pair[1]]);
            pair.copy_from_slice(&next);
        }
    }
    let mut out: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
    out.pop();
    out
}

/// The key that the faulty code made which `$2x$` is the mark of: it took bytes for signed numbers, so
/// that one beyond ASCII hides those before it in the same word.
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

/// Bytes in the letters of bcrypt, which are base64 with another alphabet.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..=chunk.len() {
            let at = bits >> (18 - 6 * n) & 63;
            out.push(char::from(ALPHABET[at as usize]));
        }
    }
    out
}

/// The bytes that such letters stand for; `None` if there are others among them.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for n in 0..4 {
            let at = match chunk.get(n) {
                Some(letter) => ALPHABET.iter().position(|known| known == letter)?,
                None => 0,
            };
            bits = bits << 6 | u32::try_from(at).ok()?;
        }
        let bytes = bits.to_be_bytes();
        out.extend_from_slice(&bytes[1..chunk.len()]);
    }
    Some(out)
}

/// Hashes a password as crypt(3) does with a setting `$PREFIX$COST$SALT`: the cost is two digits, the
/// salt 22 letters, and the prefix `2a`, `2b`, `2x` or `2y`.
///
/// # Errors
/// [`Error::Argument`] if the setting is none, or the cost too high.
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
    if level > HIGHEST_COST {
        return Err(Error::Argument(format!(
            "a bcrypt hash of cost {level} would take too long; the highest is {HIGHEST_COST}"
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
        // Of the tests of crypt_blowfish, where the third is one that the fault changes.
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
    fn what_would_take_days_is_refused() {
        assert!(hash("x", "2b", "31$CCCCCCCCCCCCCCCCCCCCC.").is_err());
        assert!(hash("x", "2b", "05$short").is_err());
    }
}
