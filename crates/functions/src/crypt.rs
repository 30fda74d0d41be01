//! Password hashes of crypt(3): MD5 (`$1$`), SHA-256 (`$5$`) and SHA-512 (`$6$`).
//!
//! The crate `sha-crypt` computes SHA hashes. Its text format is not used, because it writes the
//! default number of rounds, which crypt(3) omits. No such crate supports MD5.

use md5::Digest;
use sha_crypt::{Params, sha256_crypt, sha512_crypt};

use crate::{Error, Result};

const ALPHABET: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MD5_ROUNDS: usize = 1000;
/// The maximum length of a password in bytes: the time grows with it.
const MAX_PASSWORD_LENGTH: usize = 512;

/// The hash method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `$1$`
    Md5,
    /// `$5$`
    Sha256,
    /// `$6$`
    Sha512,
}

/// Hashes a password with a salt, as stdlib's `pw_hash`.
///
/// # Errors
/// [`Error::Argument`] if the salt is empty or has other characters than letters, digits, dot
/// and slash, or if the password is too long.
pub fn hash(password: &str, method: Method, salt: &str) -> Result<String> {
    if salt.is_empty() {
        return Err(Error::Argument("pw_hash(): third argument must not be empty".into()));
    }
    if !salt.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'/') {
        return Err(Error::Argument(
            "pw_hash(): characters in salt must be in the set [a-zA-Z0-9./]".into(),
        ));
    }
    if password.len() > MAX_PASSWORD_LENGTH {
        return Err(Error::Argument("pw_hash(): the password is too long".into()));
    }
    let password = password.as_bytes();
    Ok(match method {
        Method::Md5 => {
            let salt = &salt[..salt.len().min(8)];
            format!("$1${salt}${}", md5_crypt(password, salt.as_bytes(), "$1$"))
        }
        Method::Sha256 => {
            let salt = &salt[..salt.len().min(16)];
            let sum = sha256_crypt(password, salt.as_bytes(), Params::RECOMMENDED);
            format!("$5${salt}${}", encode(&sum, &order_256(), &[None, Some(31), Some(30)], 3))
        }
        Method::Sha512 => {
            let salt = &salt[..salt.len().min(16)];
            let sum = sha512_crypt(password, salt.as_bytes(), Params::RECOMMENDED);
            format!("$6${salt}${}", encode(&sum, &order_512(), &[None, None, Some(63)], 2))
        }
    })
}

/// The MD5 hash of a password with another prefix than `$1$`, such as Apache's `$apr1$`.
///
/// # Errors
/// [`Error::Argument`] if the password is too long.
pub fn md5_with(password: &[u8], salt: &[u8], mark: &str) -> Result<String> {
    if password.len() > MAX_PASSWORD_LENGTH {
        return Err(Error::Argument("the password is too long".into()));
    }
    let sum = md5_crypt(password, salt, mark);
    Ok(format!("{mark}{}${sum}", String::from_utf8_lossy(salt)))
}

/// `length` bytes of the pattern, repeated.
fn stretch(pattern: &[u8], length: usize) -> Vec<u8> {
    pattern.iter().copied().cycle().take(length).collect()
}

fn md5_crypt(password: &[u8], salt: &[u8], mark: &str) -> String {
    let alternate = md5::Md5::digest([password, salt, password].concat());
    let mut first =
        [password, mark.as_bytes(), salt, &stretch(&alternate, password.len())].concat();
    let mut bits = password.len();
    while bits > 0 {
        first.push(if bits & 1 == 1 { 0 } else { password[0] });
        bits >>= 1;
    }
    let mut sum = md5::Md5::digest(first);
    for round in 0..MD5_ROUNDS {
        let mut next: Vec<u8> = Vec::new();
        next.extend_from_slice(if round % 2 == 1 { password } else { &sum });
        if round % 3 != 0 {
            next.extend_from_slice(salt);
        }
        if round % 7 != 0 {
            next.extend_from_slice(password);
        }
        next.extend_from_slice(if round % 2 == 1 { &sum } else { password });
        sum = md5::Md5::digest(next);
    }
    let order = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5]];
    encode(&sum, &order, &[None, None, Some(11)], 2)
}

/// The order in which the bytes of a SHA-256 sum are printed.
fn order_256() -> Vec<[usize; 3]> {
    (0..10).map(|index| [0, 10, 20].map(|start| (start + 21 * index) % 30)).collect()
}

/// The order in which the bytes of a SHA-512 sum are printed.
fn order_512() -> Vec<[usize; 3]> {
    (0..21).map(|index| [0, 21, 42].map(|start| (start + 22 * index) % 63)).collect()
}

/// Three bytes become four characters, lowest bits first; the last group may be shorter.
fn encode(
    sum: &[u8],
    order: &[[usize; 3]],
    last: &[Option<usize>; 3],
    last_count: usize,
) -> String {
    let mut out = String::new();
    let mut push = |bytes: [Option<usize>; 3], count: usize| {
        let word = bytes.iter().fold(0_u32, |word, index| {
            (word << 8) | index.and_then(|index| sum.get(index)).map_or(0, |&byte| u32::from(byte))
        });
        for position in 0..count {
            out.push(char::from(ALPHABET[(word >> (6 * position) & 63) as usize]));
        }
    };
    for group in order {
        push(group.map(Some), 4);
    }
    push(*last, last_count);
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn known_hashes() {
        for (method, expected) in [
            (Method::Md5, "$1$abcdEFGH$aiud1.k7la.WIyCUGYOV20"),
            (Method::Sha256, "$5$abcdEFGH$ltzR/fKFGuR7BVeIkLxXummZgj5SxHZBdSjuq.vk8G9"),
            (
                Method::Sha512,
                "$6$abcdEFGH$vZUbICsTHaMLpQJYSSwJMB7Ud/L4d.1bZ0UuJl9hTtWxvm5VNsnfiyg92KlOyTbQvclIq2zc6.fDJ6HA5VogF1",
            ),
        ] {
            assert_eq!(hash("pässword x", method, "abcdEFGH").unwrap(), expected);
        }
    }

    #[test]
    fn salts_are_checked() {
        assert!(hash("x", Method::Md5, "").is_err());
        assert!(hash("x", Method::Md5, "a b").is_err());
    }
}
