//! Quoted texts: `strconv.Quote` and related functions.

use std::fmt::Write as _;
use std::sync::OnceLock;

use regex::Regex;

use crate::{Error, Result};

/// The characters that are written unescaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// All that can be printed.
    Print,
    /// ASCII only.
    Ascii,
    /// All that can be printed, and non-ASCII spaces.
    Graphic,
}

/// A text in double quotes.
pub fn quote(text: &[u8]) -> String {
    quote_with(text, '"', Style::Print)
}

/// A text in these quotes.
pub fn quote_with(text: &[u8], mark: char, style: Style) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(mark);
    for rune in runes(text) {
        match rune {
            Ok(c) => push_escaped(&mut out, c, mark, style),
            Err(byte) => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push(mark);
    out
}

/// The characters of a text; invalid bytes stand for themselves.
pub fn runes(text: &[u8]) -> impl Iterator<Item = std::result::Result<char, u8>> {
    text.utf8_chunks().flat_map(|chunk| {
        chunk.valid().chars().map(Ok).chain(chunk.invalid().iter().map(|byte| Err(*byte)))
    })
}

fn push_escaped(out: &mut String, c: char, mark: char, style: Style) {
    if c == mark || c == '\\' {
        out.push('\\');
        return out.push(c);
    }
    let is_plain = match style {
        Style::Ascii => matches!(c, ' '..='~'),
        Style::Print => is_print(c),
        Style::Graphic => is_print(c) || is_blank(c),
    };
    if is_plain {
        return out.push(c);
    }
    let _ = match c {
        '\u{7}' => out.write_str("\\a"),
        '\u{8}' => out.write_str("\\b"),
        '\u{c}' => out.write_str("\\f"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\u{b}' => out.write_str("\\v"),
        '\0'..' ' | '\u{7f}' => write!(out, "\\x{:02x}", u32::from(c)),
        '\0'..'\u{10000}' => write!(out, "\\u{:04x}", u32::from(c)),
        _ => write!(out, "\\U{:08x}", u32::from(c)),
    };
}

/// Whether a character is a letter, mark, number, punctuation, symbol or the ASCII blank.
pub fn is_print(c: char) -> bool {
    static PRINTED: OnceLock<Option<Regex>> = OnceLock::new();
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    let printed = PRINTED.get_or_init(|| Regex::new(r"^[\p{L}\p{M}\p{N}\p{P}\p{S}]$").ok());
    printed.as_ref().is_some_and(|printed| printed.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Blanks that do not count as printed.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Whether a text can stand in back quotes on one line.
pub fn can_backquote(text: &[u8]) -> bool {
    runes(text).all(|rune| match rune {
        Ok('\t') => true,
        Ok(c) => c != '\u{feff}' && c >= ' ' && c != '`' && c != '\u{7f}',
        Err(_) => false,
    })
}

fn syntax() -> Error {
    Error::Argument("invalid syntax".into())
}

/// Unquotes a text: `"…"`, `` `…` `` or one character in `'…'`.
///
/// # Errors
/// If the text is not exactly one quoted text.
pub fn unquote(text: &[u8]) -> Result<Vec<u8>> {
    let (value, used) = read(text)?;
    if used == text.len() { Ok(value) } else { Err(syntax()) }
}

/// The quoted text at the beginning of a text, with its quotes.
///
/// # Errors
/// If the text does not begin with one.
pub fn quoted_prefix(text: &[u8]) -> Result<&[u8]> {
    let (_, used) = read(text)?;
    text.get(..used).ok_or_else(syntax)
}

/// Parses one quoted text; returns its length in bytes.
fn read(text: &[u8]) -> Result<(Vec<u8>, usize)> {
    let mark = *text.first().ok_or_else(syntax)?;
    if !matches!(mark, b'"' | b'`' | b'\'') {
        return Err(syntax());
    }
    if mark == b'`' {
        let body = text.get(1..).unwrap_or_default();
        let end = body.iter().position(|b| *b == b'`').ok_or_else(syntax)?;
        let inner = body.get(..end).unwrap_or_default();
        return Ok((inner.iter().copied().filter(|b| *b != b'\r').collect(), end + 2));
    }
    let (mut out, mut at, mut count) = (Vec::new(), 1, 0);
    loop {
        let byte = *text.get(at).ok_or_else(syntax)?;
        match byte {
            b if b == mark => break,
            b'\n' => return Err(syntax()),
            b'\\' => at += escape(text.get(at..).unwrap_or_default(), mark, &mut out)?,
            _ => {
                let rest = text.get(at..).unwrap_or_default();
                let width = width(rest);
                match rest.get(..width) {
                    Some([byte]) if !byte.is_ascii() => {
                        out.extend("\u{fffd}".as_bytes());
                    }
                    other => out.extend(other.unwrap_or_default()),
                }
                at += width;
            }
        }
        count += 1;
    }
    if mark == b'\'' && count > 1 {
        return Err(syntax());
    }
    Ok((out, at + 1))
}

/// The number of bytes of the first character; one if it is invalid.
pub(crate) fn width(text: &[u8]) -> usize {
    let head = text.get(..text.len().min(4)).unwrap_or_default();
    let first = head.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    first.map_or(1, char::len_utf8)
}

/// One escape at the start of a text; returns its length in bytes.
fn escape(text: &[u8], mark: u8, out: &mut Vec<u8>) -> Result<usize> {
    let kind = *text.get(1).ok_or_else(syntax)?;
    let plain = match kind {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' => b'\\',
        b'\'' | b'"' if kind == mark => kind,
        b'x' => return digits(text, 2, 2, 16, out),
        b'u' => return digits(text, 2, 4, 16, out),
        b'U' => return digits(text, 2, 8, 16, out),
        b'0'..=b'7' => return digits(text, 1, 3, 8, out),
        _ => return Err(syntax()),
    };
    out.push(plain);
    Ok(2)
}

fn digits(text: &[u8], at: usize, count: usize, base: u32, out: &mut Vec<u8>) -> Result<usize> {
    let digits = text.get(at..at + count).ok_or_else(syntax)?;
    let digits = std::str::from_utf8(digits).map_err(|_| syntax())?;
    if !digits.chars().all(|c| c.is_digit(base)) {
        return Err(syntax());
    }
    let number = u32::from_str_radix(digits, base).map_err(|_| syntax())?;
    if base == 8 || count == 2 {
        out.push(u8::try_from(number).map_err(|_| syntax())?);
    } else {
        let c = char::from_u32(number).ok_or_else(syntax)?;
        out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(at + count)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quote("a\"\\\u{7}é\u{200b}\u{1f600}".as_bytes()), r#""a\"\\\aé\u200b😀""#);
        assert_eq!(quote_with("é\u{1f600}".as_bytes(), '"', Style::Ascii), r#""\u00e9\U0001f600""#);
        assert_eq!(quote(&[0xe2, 0x82, b'x', 0]), r#""\xe2\x82x\x00""#);
        assert_eq!(quote_with("\u{a0}".as_bytes(), '"', Style::Graphic), "\"\u{a0}\"");
    }

    #[test]
    fn quoted_texts_are_read() {
        assert_eq!(unquote(br#""a\n\x41\101\u00e9""#).unwrap(), "a\nAAé".as_bytes());
        assert_eq!(unquote(b"`a\\\r\n`").unwrap(), b"a\\\n");
        assert_eq!(unquote("'é'".as_bytes()).unwrap(), "é".as_bytes());
        for bad in ["", "a", "\"", "\"a", "'ab'", r#""\'""#, r#""\ud800""#, "\"\n\"", "\"a\"b"] {
            assert!(unquote(bad.as_bytes()).is_err(), "{bad}");
        }
        assert_eq!(quoted_prefix(b"\"a\"b").unwrap(), b"\"a\"");
    }
}
