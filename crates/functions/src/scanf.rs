//! Ruby's `String#scanf`.

use crate::text::CharSet;
use crate::{Error, Result};

/// A value that a conversion has read.
#[derive(Debug, Clone, PartialEq)]
pub enum Scanned {
    /// From `%d %u %i %x %X %o`.
    Int(i64),
    /// From `%f %e %g %a` and their capitals.
    Float(f64),
    /// From `%s`, `%c` and `%[…]`.
    Str(String),
}

/// Parses the text by the format; returns the values up to the first mismatch.
///
/// ```
/// use ordain_functions::scanf::{Scanned, scanf};
/// let read = scanf("eth0: 15", "%[a-z]%d: %d")?;
/// assert_eq!(read, [Scanned::Str("eth".into()), Scanned::Int(0), Scanned::Int(15)]);
/// # Ok::<(), ordain_functions::Error>(())
/// ```
///
/// # Errors
/// [`Error::Format`] if a set in the format is not closed, [`Error::Number`] if an integer does not
/// fit into 64 bits.
pub fn scanf(text: &str, format: &str) -> Result<Vec<Scanned>> {
    let mut values = Vec::new();
    let mut rest = text;
    for part in parts(format)? {
        match part {
            Part::Blank => rest = rest.trim_ascii_start(),
            Part::Char(c) => match rest.strip_prefix(c) {
                Some(after) => rest = after,
                None => break,
            },
            Part::Field(field) => {
                let Some((found, after)) = field.find(rest) else { break };
                rest = after;
                if field.is_kept {
                    values.push(field.kind.value(found)?);
                }
            }
        }
    }
    Ok(values)
}

/// One part of a format.
enum Part {
    Blank,
    Char(char),
    Field(Field),
}

struct Field {
    kind: Kind,
    width: Option<usize>,
    is_kept: bool,
}

enum Kind {
    /// With its base; `None` if a prefix selects it.
    Integer(Option<u32>),
    Float,
    Word,
    Chars,
    Set(CharSet),
}

fn parts(format: &str) -> Result<Vec<Part>> {
    let mut out = Vec::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_whitespace() {
            out.push(Part::Blank);
            continue;
        }
        if c != '%' {
            out.push(Part::Char(c));
            continue;
        }
        let is_kept = chars.next_if_eq(&'*').is_none();
        let mut width = None;
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            width = Some(width.unwrap_or(0usize).saturating_mul(10).saturating_add(digit as usize));
            chars.next();
        }
        let mut letter = chars.next();
        if matches!(letter, Some('h' | 'l' | 'L')) {
            letter = chars.next();
        }
        let kind = match letter {
            Some('d' | 'u') => Kind::Integer(Some(10)),
            Some('x' | 'X') => Kind::Integer(Some(16)),
            Some('o') => Kind::Integer(Some(8)),
            Some('i') => Kind::Integer(None),
            Some('f' | 'g' | 'e' | 'a' | 'F' | 'G' | 'E' | 'A') => Kind::Float,
            Some('s') => Kind::Word,
            Some('c') => Kind::Chars,
            Some('[') => Kind::Set(set(&mut chars)?),
            Some('%') => {
                out.push(Part::Char('%'));
                continue;
            }
            other => {
                out.push(Part::Char('%'));
                out.extend(other.map(Part::Char));
                continue;
            }
        };
        out.push(Part::Field(Field { kind, width, is_kept }));
    }
    Ok(out)
}

/// The rest of `%[…]`; the first character may be the bracket.
fn set(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<CharSet> {
    let negated = chars.next_if_eq(&'^').is_some();
    let mut members = Vec::from_iter(chars.next());
    loop {
        match chars.next() {
            Some(']') => break,
            Some(c) => members.push(c),
            None => {
                return Err(Error::Format("scanf(): the set in the format is not closed".into()));
            }
        }
    }
    let mut ranges = Vec::new();
    let mut rest = members.as_slice();
    while let [low, tail @ ..] = rest {
        let (high, tail) = match tail {
            ['-', high, tail @ ..] => (high, tail),
            _ => (low, tail),
        };
        ranges.push((*low, *high));
        rest = tail;
    }
    Ok(CharSet::of(negated, ranges))
}

impl Field {
    /// The field's part of the text, and the rest; `None` if it does not match.
    fn find<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let text = match self.kind {
            Kind::Chars | Kind::Set(_) => text,
            _ => text.trim_ascii_start(),
        };
        let width = self.width.unwrap_or(match self.kind {
            Kind::Chars => 1,
            _ => usize::MAX,
        });
        let end = text.char_indices().nth(width).map_or(text.len(), |(at, _)| at);
        let length = self.kind.length(&text[..end]);
        (length > 0).then(|| text.split_at(length))
    }
}

impl Kind {
    /// The length of the value at the start of the text; 0 if there is none.
    fn length(&self, text: &str) -> usize {
        let up_to = |end: Option<usize>| end.unwrap_or(text.len());
        match self {
            Kind::Chars => text.len(),
            Kind::Word => up_to(text.find(|c: char| c.is_ascii_whitespace())),
            Kind::Set(set) => up_to(text.find(|c| !set.contains(c))),
            Kind::Integer(base) => {
                let (skipped, base) = integer_begin(text, *base);
                let count = digits(&text[skipped..], base);
                // Without digits after it the zero of `0x` is a number.
                let is_zero = count == 0 && skipped > sign_length(text);
                if is_zero { skipped - 1 } else { (skipped + count) * usize::from(count > 0) }
            }
            Kind::Float => float_length(text),
        }
    }

    fn value(&self, found: &str) -> Result<Scanned> {
        Ok(match self {
            Kind::Chars | Kind::Word | Kind::Set(_) => Scanned::Str(found.into()),
            Kind::Integer(base) => {
                let (skipped, base) = integer_begin(found, *base);
                let sign = if found.starts_with('-') { "-" } else { "" };
                let value = i64::from_str_radix(&format!("{sign}{}", &found[skipped..]), base);
                let too_big = |_| Error::Number(format!("scanf(): {found} is too big"));
                Scanned::Int(value.map_err(too_big)?)
            }
            Kind::Float => {
                let bad = |_| Error::Number(format!("scanf(): {found} is no number"));
                Scanned::Float(found.parse().map_err(bad)?)
            }
        })
    }
}

/// The length of the sign and the prefix of an integer, and the base of its digits.
fn integer_begin(text: &str, base: Option<u32>) -> (usize, u32) {
    let sign = sign_length(text);
    let rest = &text[sign..];
    let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
    match base {
        None | Some(16) if is_hex => (sign + 2, 16),
        Some(base) => (sign, base),
        None if rest.starts_with('0') => (sign, 8),
        None => (sign, 10),
    }
}

fn sign_length(text: &str) -> usize {
    usize::from(text.starts_with(['-', '+']))
}

fn digits(text: &str, base: u32) -> usize {
    text.find(|c: char| !c.is_digit(base)).unwrap_or(text.len())
}

/// Only a number with a point has an exponent.
fn float_length(text: &str) -> usize {
    let sign = sign_length(text);
    let mut end = sign + digits(&text[sign..], 10);
    let mut has_digits = end > sign;
    let has_point = text[end..].starts_with('.');
    if has_point {
        let after = digits(&text[end + 1..], 10);
        has_digits |= after > 0;
        end += if has_digits { 1 + after } else { 0 };
    }
    if !has_digits {
        return 0;
    }
    if has_point && text[end..].starts_with(['e', 'E']) {
        let rest = &text[end + 1..];
        let count = digits(&rest[sign_length(rest)..], 10);
        if count > 0 {
            end += 1 + sign_length(rest) + count;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn shown(text: &str, format: &str) -> String {
        let words = scanf(text, format).unwrap().into_iter().map(|value| match value {
            Scanned::Int(i) => i.to_string(),
            Scanned::Float(f) => format!("{f:?}"),
            Scanned::Str(text) => format!("'{text}'"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn formats_read_values() {
        for (text, format, expected) in [
            ("x 42 -0x1f 1.5e2 word", "x %d %i %f %3s", "42 -31 150.0 'wor'"),
            ("abc1", "%[a-c]%*c%d", "'abc'"),
            ("12 -7 0x1f", "%d %d %x", "12 -7 31"),
            ("1.5e2x", "%fx", "150.0"),
            ("12e3 -1E-3", "%f%s %f%s", "12.0 'e3' -1.0 'E-3'"),
            ("ab cd", "%s%*s%c", "'ab'"),
            ("12345", "%2d%3d", "12 345"),
            ("1,x", "%d,%d", "1"),
            ("50%", "%d%%", "50"),
            ("a-b]", "%[^]]", "'a-b'"),
            ("0xg 08", "%xxg %i%d", "0 0 8"),
            ("", "%d", ""),
            ("-", "%d", ""),
        ] {
            assert_eq!(shown(text, format), expected, "{text} {format}");
        }
    }

    #[test]
    fn unreadable_files_are_reported() {
        assert!(matches!(scanf("99999999999999999999", "%d"), Err(Error::Number(_))));
        assert!(matches!(scanf("a", "%[a"), Err(Error::Format(_))));
    }
}
