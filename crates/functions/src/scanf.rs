//! Ruby's `String#scanf`.

use num_bigint::BigInt;

use crate::float;

/// What a conversion reads.
#[derive(Debug, Clone, PartialEq)]
pub enum Scanned {
    /// From `%d %u %i %x %X %o`.
    Int(BigInt),
    /// From `%f %e %g %a` and their capitals.
    Float(f64),
    /// From `%s`, `%c` and `%[…]`.
    Str(String),
}

/// Reads the text by the format; gives what was read up to the first mismatch.
///
/// ```
/// use ordain_functions::scanf::{Scanned, scanf};
/// let read = scanf("eth0: 15", "%[a-z]%d: %d");
/// assert_eq!(read, [Scanned::Str("eth".into()), Scanned::Int(0.into()), Scanned::Int(15.into())]);
/// ```
pub fn scanf(text: &str, format: &str) -> Vec<Scanned> {
    let mut scanner = Scanner { rest: text, out: Vec::new() };
    // A mismatch ends the run; what was read before it counts.
    let _mismatch = scanner.run(format);
    scanner.out
}

struct Scanner<'a> {
    rest: &'a str,
    out: Vec<Scanned>,
}

impl<'a> Scanner<'a> {
    fn run(&mut self, format: &str) -> Option<()> {
        let mut format = format;
        while let Some(c) = format.chars().next() {
            format = &format[c.len_utf8()..];
            match c {
                '%' => self.conversion(&mut format)?,
                c if c.is_ascii_whitespace() => self.rest = self.rest.trim_ascii_start(),
                c => self.rest = self.rest.strip_prefix(c)?,
            }
        }
        Some(())
    }

    fn conversion(&mut self, format: &mut &str) -> Option<()> {
        let skipped = format.starts_with('*');
        *format = &format[usize::from(skipped)..];
        let digits = format.bytes().take_while(u8::is_ascii_digit).count();
        let width = format[..digits].parse().unwrap_or(usize::MAX);
        *format = &format[digits..];
        let letter = format.chars().next()?;
        *format = &format[letter.len_utf8()..];
        if !matches!(letter, 'c' | '[' | '%') {
            self.rest = self.rest.trim_ascii_start();
        }
        let value = match letter {
            '%' => {
                self.rest = self.rest.strip_prefix('%')?;
                return Some(());
            }
            'd' | 'u' => self.integer(width, 10)?,
            'x' | 'X' => self.integer(width, 16)?,
            'o' => self.integer(width, 8)?,
            'i' => self.integer(width, 0)?,
            'f' | 'e' | 'g' | 'a' | 'F' | 'E' | 'G' | 'A' => self.float(width)?,
            's' => Scanned::Str(self.take(width, |c| !c.is_ascii_whitespace())?.into()),
            'c' => {
                let count = if width == usize::MAX { 1 } else { width };
                Scanned::Str(self.take(count, |_| true)?.into())
            }
            '[' => self.set(width, format)?,
            _ => return None,
        };
        if !skipped {
            self.out.push(value);
        }
        Some(())
    }

    /// Up to `width` characters, at least one.
    fn take(&mut self, width: usize, wanted: impl Fn(char) -> bool) -> Option<&'a str> {
        let length =
            self.rest.chars().take(width).take_while(|&c| wanted(c)).map(char::len_utf8).sum();
        let (head, rest) = self.rest.split_at(length);
        self.rest = rest;
        (!head.is_empty()).then_some(head)
    }

    /// An integer; radix 0 goes by the prefix.
    fn integer(&mut self, width: usize, radix: u32) -> Option<Scanned> {
        let window_end = self.rest.char_indices().nth(width).map_or(self.rest.len(), |(at, _)| at);
        let window = &self.rest[..window_end];
        let signed = usize::from(window.starts_with(['+', '-']));
        let body = &window[signed..];
        let is_hex = |text: &str| text.starts_with("0x") || text.starts_with("0X");
        let (radix, prefix) = match radix {
            0 | 16 if is_hex(body) => (16, 2),
            0 if body.starts_with('0') => (8, 0),
            0 => (10, 0),
            radix => (radix, 0),
        };
        let count = body[prefix..].chars().take_while(|c| c.is_digit(radix)).count();
        let digits = &body[prefix..prefix + count];
        let magnitude = BigInt::parse_bytes(digits.as_bytes(), radix)?;
        let negative = window.starts_with('-');
        self.rest = &self.rest[signed + prefix + count..];
        Some(Scanned::Int(if negative { -magnitude } else { magnitude }))
    }

    fn float(&mut self, width: usize) -> Option<Scanned> {
        let window_end = self.rest.char_indices().nth(width).map_or(self.rest.len(), |(at, _)| at);
        let window = &self.rest[..window_end];
        let digits = |from: usize| window[from..].bytes().take_while(u8::is_ascii_digit).count();
        let mut end = usize::from(window.starts_with(['+', '-']));
        let whole = digits(end);
        end += whole;
        let mut fraction = 0;
        if window[end..].starts_with('.') {
            fraction = digits(end + 1);
            end += if whole + fraction > 0 { 1 + fraction } else { 0 };
        }
        if whole + fraction == 0 {
            return None;
        }
        if window[end..].starts_with(['e', 'E']) {
            let signed = end + 1 + usize::from(window[end + 1..].starts_with(['+', '-']));
            if digits(signed) > 0 {
                end = signed + digits(signed);
            }
        }
        let value = float::parse_ruby(window[..end].trim_end_matches('.')).ok()?;
        self.rest = &self.rest[end..];
        Some(Scanned::Float(value))
    }

    /// The rest of `%[…]`.
    fn set(&mut self, width: usize, format: &mut &str) -> Option<Scanned> {
        let negated = format.starts_with('^');
        let body = &format[usize::from(negated)..];
        let first = body.chars().next()?.len_utf8();
        let end = first + body[first..].find(']')?;
        let members: Vec<char> = body[..end].chars().collect();
        *format = &body[end + 1..];
        let mut ranges = Vec::new();
        let mut at = 0;
        while let Some(&low) = members.get(at) {
            match (members.get(at + 1), members.get(at + 2)) {
                (Some('-'), Some(&high)) => {
                    ranges.push((low, high));
                    at += 3;
                }
                _ => {
                    ranges.push((low, low));
                    at += 1;
                }
            }
        }
        let wanted = |c: char| ranges.iter().any(|&(low, high)| low <= c && c <= high) != negated;
        Some(Scanned::Str(self.take(width, wanted)?.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i64) -> Scanned {
        Scanned::Int(value.into())
    }

    #[test]
    fn conversions() {
        assert_eq!(scanf("12 -7 0x1f", "%d %d %i"), [int(12), int(-7), int(31)]);
        assert_eq!(scanf("1.5e2x", "%fx"), [Scanned::Float(150.0)]);
        assert_eq!(scanf("ab cd", "%s%*s%c"), [Scanned::Str("ab".into())]);
        assert_eq!(scanf("12345", "%2d%3d"), [int(12), int(345)]);
        assert_eq!(scanf("1,x", "%d,%d"), [int(1)]);
        assert_eq!(scanf("50%", "%d%%"), [int(50)]);
        assert_eq!(scanf("a-b]", "%[^]]"), [Scanned::Str("a-b".into())]);
        assert!(scanf("", "%d").is_empty());
    }
}
