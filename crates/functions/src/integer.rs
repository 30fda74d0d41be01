//! Parses integers by the rules of Ruby's `Integer()`.

use num_bigint::BigInt;

use crate::{Error, Result};

/// The maximum length of an integer's text, in bytes.
const MAX_LENGTH: usize = 1 << 14;

/// Parses an integer like Ruby's `Integer(text)`: accepts surrounding space, a sign, a prefix
/// (`0x`, `0b`, `0o`, `0d`, or `0` for octal) and single underscores between digits.
///
/// ```
/// use ordain_functions::integer::parse_ruby;
/// assert_eq!(parse_ruby(" -0x1f ")?, (-31).into());
/// assert!(parse_ruby("1__0").is_err());
/// # Ok::<(), ordain_functions::Error>(())
/// ```
///
/// # Errors
/// `invalid value for Integer(): "x"`
pub fn parse_ruby(text: &str) -> Result<BigInt> {
    read(text).ok_or_else(|| {
        Error::Number(format!("invalid value for Integer(): {}", crate::text::inspect_ruby(text)))
    })
}

/// Parses an integer like Python's `int(text)`: accepts surrounding space, a sign and single
/// underscores between digits.
///
/// # Errors
/// `invalid literal for int() with base 10: 'x'`
pub fn parse_python(text: &str) -> Result<BigInt> {
    read_python(text).ok_or_else(|| {
        let shown = crate::text::repr_python(text);
        Error::Number(format!("invalid literal for int() with base 10: {shown}"))
    })
}

fn read_python(text: &str) -> Option<BigInt> {
    let trimmed = text.trim_matches(crate::text::is_python_space);
    if trimmed.len() > MAX_LENGTH {
        return None;
    }
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let plain = without_underscores(unsigned)?;
    if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let magnitude = BigInt::parse_bytes(plain.as_bytes(), 10)?;
    Some(if trimmed.starts_with('-') { -magnitude } else { magnitude })
}

/// The text without its underscores, which must be single and between digits.
pub(crate) fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let valid = bytes
        .iter()
        .enumerate()
        .filter(|&(_, &b)| b == b'_')
        .all(|(at, _)| at > 0 && is_digit(at - 1) && is_digit(at + 1));
    valid.then(|| text.replace('_', ""))
}

fn read(text: &str) -> Option<BigInt> {
    let trimmed = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    if trimmed.len() > MAX_LENGTH {
        return None;
    }
    let (negative, rest) = match trimmed.as_bytes().first()? {
        b'-' => (true, &trimmed[1..]),
        b'+' => (false, &trimmed[1..]),
        _ => (false, trimmed),
    };
    let (radix, digits) = split_prefix(rest);
    if digits.starts_with('_')
        || digits.ends_with('_')
        || digits.contains("__")
        || digits.is_empty()
    {
        return None;
    }
    let plain: String = digits.chars().filter(|&c| c != '_').collect();
    if !plain.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let magnitude = BigInt::parse_bytes(plain.as_bytes(), radix)?;
    Some(if negative { -magnitude } else { magnitude })
}

fn split_prefix(text: &str) -> (u32, &str) {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'0') || bytes.len() < 2 {
        return (10, text);
    }
    match bytes[1].to_ascii_lowercase() {
        b'x' => (16, &text[2..]),
        b'b' => (2, &text[2..]),
        b'o' => (8, &text[2..]),
        b'd' => (10, &text[2..]),
        b'_' if bytes.len() > 2 => (8, &text[2..]),
        _ => (8, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn prefixes_choose_the_radix() {
        for (text, value) in [
            ("0b11", 3),
            ("0o17", 15),
            ("017", 15),
            ("0_7", 7),
            ("0d12", 12),
            ("+5", 5),
            ("1_000", 1000),
            ("0", 0),
        ] {
            assert_eq!(parse_ruby(text).unwrap(), value.into(), "{text}");
        }
        for text in ["", "x", "- 5", "0x_1", "1__0", "_1", "1_", "08", "1.0", "0x"] {
            assert!(parse_ruby(text).is_err(), "{text}");
        }
        assert_eq!(parse_ruby("99999999999999999999").unwrap().to_string(), "99999999999999999999");
    }

    #[test]
    fn the_error_quotes_the_text() {
        assert_eq!(
            parse_ruby("a\"").unwrap_err().to_string(),
            r#"invalid value for Integer(): "a\"""#
        );
    }
}
