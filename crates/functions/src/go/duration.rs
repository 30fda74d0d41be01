//! The package `time`: durations as text.

use super::quote::quote;
use crate::{Error, Result};

/// The nanoseconds of each unit.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The nanoseconds of a duration such as `1h30m`, `-2.5s` or `0`.
///
/// # Errors
/// Such as `time: invalid duration "x"`.
pub fn parse(text: &str) -> Result<i64> {
    let shown = || quote(text.as_bytes());
    let fail = |reason: String| Error::Time(format!("time: {reason} duration {}", shown()));
    let invalid = || fail("invalid".into());
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (number, after) = Number::take(rest).ok_or_else(invalid)?;
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        if unit.is_empty() {
            return Err(fail("missing unit in".into()));
        }
        let known = UNITS.iter().find(|(name, _)| *name == unit);
        let (_, scale) =
            known.ok_or_else(|| fail(format!("unknown unit {} in", quote(unit.as_bytes()))))?;
        let nanos = number.times(*scale).ok_or_else(invalid)?;
        total = total.checked_add(nanos).filter(|sum| *sum <= 1 << 63).ok_or_else(invalid)?;
        rest = next;
    }
    if negative {
        return Ok(0_i64.wrapping_sub_unsigned(total));
    }
    i64::try_from(total).map_err(|_| invalid())
}

/// A number with its places after the point.
struct Number {
    whole: u64,
    part: u64,
    /// Ten for each place of the part.
    scale: f64,
}

impl Number {
    /// The number at the start of a text, and the rest; it has at least one digit.
    fn take(text: &str) -> Option<(Self, &str)> {
        let end = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, mut rest) = text.split_at(end(text));
        let mut number = Self { whole: 0, part: 0, scale: 1.0 };
        for digit in digits.bytes() {
            let next = number.whole.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            number.whole = Some(next).filter(|next| *next <= 1 << 63)?;
        }
        let mut has_part = false;
        if let Some(after) = rest.strip_prefix('.') {
            let (places, after) = after.split_at(end(after));
            has_part = !places.is_empty();
            for digit in places.bytes() {
                // Further digits are ignored.
                let Some(next) = number.part.checked_mul(10).filter(|next| *next < 1 << 63) else {
                    break;
                };
                number.part = next + u64::from(digit - b'0');
                number.scale *= 10.0;
            }
            rest = after;
        }
        (has_part || !digits.is_empty()).then_some((number, rest))
    }

    fn times(&self, unit: u64) -> Option<u64> {
        let whole = self.whole.checked_mul(unit).filter(|nanos| *nanos <= 1 << 63)?;
        let part = (self.part as f64 * (unit as f64 / self.scale)) as u64;
        whole.checked_add(part)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn durations_have_units() {
        let second = 1_000_000_000;
        for (text, nanos) in [
            ("0", 0),
            ("+0", 0),
            ("60s", 60 * second),
            ("1h42m13s", 6133 * second),
            ("1.5h", 5400 * second),
            (".5s", second / 2),
            ("3.s", 3 * second),
            ("-1m", -60 * second),
            ("1µs2us", 3000),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(parse(text), Ok(nanos), "{text}");
        }
    }

    #[test]
    fn invalid_durations_are_refused() {
        for (text, why) in [
            ("", "time: invalid duration \"\""),
            ("3", "time: missing unit in duration \"3\""),
            (".s", "time: invalid duration \".s\""),
            ("+", "time: invalid duration \"+\""),
            ("1d", "time: unknown unit \"d\" in duration \"1d\""),
            ("1 s", "time: unknown unit \" s\" in duration \"1 s\""),
            ("9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""),
            ("99999999999h", "time: invalid duration \"99999999999h\""),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), why);
        }
    }
}
