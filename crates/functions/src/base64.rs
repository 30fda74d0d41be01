//! Base64 in the modes of Ruby's library and Puppet's stdlib.

use ::base64::Engine;
use ::base64::engine::general_purpose::{STANDARD, URL_SAFE};

use crate::{Error, Result};

/// The layout of base64 text, and the strictness of decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Lines of 60 characters, each with its newline; decoding skips other characters.
    Default,
    /// One line without newline; decoding accepts nothing else.
    Strict,
    /// Like strict, with `-` and `_`; decoding accepts missing padding.
    UrlSafe,
}

/// The characters of a line in [`Mode::Default`].
const LINE: usize = 60;

/// Encodes bytes.
///
/// ```
/// use ordain_functions::base64::{Mode, encode};
/// assert_eq!(encode(b"hi?", Mode::Default), "aGk/\n");
/// assert_eq!(encode(b"hi?", Mode::UrlSafe), "aGk_");
/// ```
pub fn encode(data: &[u8], mode: Mode) -> String {
    match mode {
        Mode::Strict => STANDARD.encode(data),
        Mode::UrlSafe => URL_SAFE.encode(data),
        Mode::Default => {
            let plain = STANDARD.encode(data);
            let mut out = String::with_capacity(plain.len() + plain.len() / LINE + 1);
            let mut rest = plain.as_str();
            while !rest.is_empty() {
                let (line, tail) = rest.split_at(rest.len().min(LINE));
                out.push_str(line);
                out.push('\n');
                rest = tail;
            }
            out
        }
    }
}

/// Decodes text.
///
/// # Errors
/// `invalid base64`, never in [`Mode::Default`].
pub fn decode(text: &str, mode: Mode) -> Result<Vec<u8>> {
    match mode {
        Mode::Default => Ok(decode_leniently(text)),
        Mode::Strict => strictly(text),
        Mode::UrlSafe => {
            let mut standard = text.replace('-', "+").replace('_', "/");
            while !standard.ends_with('=') && !standard.len().is_multiple_of(4) {
                let missing = 4 - standard.len() % 4;
                standard.extend(std::iter::repeat_n('=', missing));
            }
            strictly(&standard)
        }
    }
}

fn strictly(text: &str) -> Result<Vec<u8>> {
    STANDARD.decode(text).map_err(|_| Error::Encoding("invalid base64".into()))
}

/// Skips foreign characters and ends at padding where padding is allowed.
fn decode_leniently(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if count >= 2 => break,
            _ => continue,
        };
        bits = (bits << 6) | u32::from(value);
        count += 1;
        if count == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    match count {
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn default_breaks_lines() {
        let text = encode(&[0; 46], Mode::Default);
        assert_eq!(text.lines().map(str::len).collect::<Vec<_>>(), [60, 4]);
        assert_eq!(decode(&text, Mode::Default).unwrap(), [0; 46]);
        assert_eq!(encode(b"", Mode::Default), "");
    }

    #[test]
    fn reading_is_as_strict_as_the_mode() {
        assert_eq!(decode("aG\nk", Mode::Default).unwrap(), b"hi");
        assert_eq!(decode("aGk=trailing", Mode::Default).unwrap(), b"hi");
        assert_eq!(decode("aGk", Mode::Strict).unwrap_err().to_string(), "invalid base64");
        assert_eq!(decode("aGk", Mode::UrlSafe).unwrap(), b"hi");
        assert_eq!(decode("__-_", Mode::UrlSafe).unwrap(), [0xff, 0xff, 0xbf]);
    }
}
