//! The package `encoding/base64`: the standard alphabet with padding.

use crate::{Error, Result};

/// Decodes a text. Newlines are skipped.
///
/// # Errors
/// `illegal base64 data at input byte 3`
pub fn decode(text: &[u8]) -> Result<Vec<u8>> {
    let fail = |at: usize| Error::Encoding(format!("illegal base64 data at input byte {at}"));
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut bytes =
        text.iter().copied().enumerate().filter(|(_, byte)| !matches!(byte, b'\n' | b'\r'));
    loop {
        let (mut group, mut count) = (0_u32, 0);
        while count < 4 {
            match bytes.next() {
                None if count == 0 => return Ok(out),
                None => return Err(fail(text.len() - count)),
                Some((at, b'=')) => {
                    if count < 2 {
                        return Err(fail(at));
                    }
                    if count == 2 {
                        match bytes.next() {
                            Some((_, b'=')) => {}
                            Some((at, _)) => return Err(fail(at)),
                            None => return Err(fail(text.len())),
                        }
                    }
                    if let Some((at, _)) = bytes.next() {
                        return Err(fail(at));
                    }
                    let [_, a, b, _] = (group << (6 * (4 - count))).to_be_bytes();
                    out.push(a);
                    if count == 3 {
                        out.push(b);
                    }
                    return Ok(out);
                }
                Some((at, byte)) => {
                    group = group << 6 | digit(byte).ok_or_else(|| fail(at))?;
                    count += 1;
                }
            }
        }
        let [_, a, b, c] = group.to_be_bytes();
        out.extend([a, b, c]);
    }
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn texts_are_decoded() {
        assert_eq!(decode(b"aGVs\nbG8=").unwrap(), b"hello");
        assert_eq!(decode(b"aA==").unwrap(), b"h");
        for (text, at) in [("aGVsbG8", 4), ("a!==", 1), ("aA=x", 3), ("aA==x", 4), ("=", 0)] {
            let error = decode(text.as_bytes()).unwrap_err().to_string();
            assert_eq!(error, format!("illegal base64 data at input byte {at}"), "{text}");
        }
    }
}
