//! Parses times in Ruby's `strptime` formats, with Puppet's defaults.

use super::civil::Civil;
use super::strftime::{MONTHS, WEEKDAYS};
use super::{NANOS_PER_SECOND, zone};
use crate::{Error, Result};

/// The formats that are tried in order, without a given format and zone.
pub const FORMATS: &[&str] = &[
    "%FT%T.%N %Z",
    "%FT%T %Z",
    "%F %T.%N %Z",
    "%F %T %Z",
    "%F %Z",
    "%FT%T.%N",
    "%FT%T",
    "%F %T.%N",
    "%F %T",
    "%F",
];
/// The formats that are tried in order, with a given zone but no format.
pub const FORMATS_WITHOUT_ZONE: &[&str] = &["%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"];

/// Parses a text with one format; returns nanoseconds since the epoch. Without a zone in the text
/// or as an argument it is UTC.
///
/// # Errors
/// [`Error::Time`] with Puppet's texts.
pub fn parse(text: &str, format: &str, timezone: Option<&str>) -> Result<i128> {
    let fields = read(text, format)
        .ok_or_else(|| Error::Time(format!("Unable to parse '{text}' using format '{format}'")))?;
    if timezone.is_some() && fields.zone.is_some() {
        return Err(Error::Time(
            "Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument".into(),
        ));
    }
    fields.to_nanos(timezone)
}

/// Parses a text with the first format that matches.
///
/// # Errors
/// [`Error::Time`] with Puppet's texts.
pub fn parse_any(text: &str, formats: &[&str], timezone: Option<&str>) -> Result<i128> {
    let fits = |fields: &Fields| timezone.is_none() || fields.zone.is_none();
    match formats.iter().filter_map(|format| read(text, format)).find(fits) {
        Some(fields) => fields.to_nanos(timezone),
        None => {
            let formats = formats.join(", ");
            Err(Error::Time(format!("Unable to parse '{text}' using any of the formats {formats}")))
        }
    }
}

#[derive(Default)]
struct Fields {
    year: Option<i64>,
    century: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    nanosecond: Option<i64>,
    afternoon: Option<bool>,
    zone: Option<String>,
}

impl Fields {
    fn to_nanos(&self, timezone: Option<&str>) -> Result<i128> {
        let year = match (self.year, self.century) {
            (Some(year), Some(century)) => century.saturating_mul(100).saturating_add(year),
            (Some(year), None) => year,
            _ => return Err(Error::Time("the text has no year".into())),
        };
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        let hour = match (self.hour.unwrap_or(0), self.afternoon) {
            (hour, Some(true)) => hour % 12 + 12,
            (hour, Some(false)) => hour % 12,
            (hour, None) => hour,
        };
        let second = self.second.unwrap_or(0);
        let clock = [hour, self.minute.unwrap_or(0), second];
        let local = Civil::to_nanos(year, month, day, clock, self.nanosecond.unwrap_or(0));
        let offset = match timezone.or(self.zone.as_deref()) {
            Some(name) => zone::offset(name)?,
            None => 0,
        };
        Ok(local - i128::from(offset) * NANOS_PER_SECOND)
    }
}

/// Reads the whole text by the format.
fn read(text: &str, format: &str) -> Option<Fields> {
    let mut reader = Reader { rest: text, fields: Fields::default() };
    reader.run(format, 0)?;
    reader.rest.is_empty().then_some(reader.fields)
}

struct Reader<'a> {
    rest: &'a str,
    fields: Fields,
}

impl Reader<'_> {
    fn run(&mut self, format: &str, depth: usize) -> Option<()> {
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '%' => {
                    let mut copy = chars.clone();
                    let mut letter = copy.next();
                    while matches!(letter, Some('E' | 'O' | ':')) {
                        letter = copy.next();
                    }
                    let Some(letter) = letter else {
                        self.literal('%')?;
                        continue;
                    };
                    chars = copy;
                    let narrow = next_is_number(chars.as_str());
                    self.directive(letter, narrow, depth)?;
                }
                c if c.is_ascii_whitespace() => self.rest = self.rest.trim_ascii_start(),
                c => self.literal(c)?,
            }
        }
        Some(())
    }

    fn literal(&mut self, c: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(c)?;
        Some(())
    }

    fn directive(&mut self, letter: char, narrow: bool, depth: usize) -> Option<()> {
        let composite = match letter {
            'c' => "%a %b %e %H:%M:%S %Y",
            'D' | 'x' => "%m/%d/%y",
            'F' => "%Y-%m-%d",
            'v' => "%e-%b-%Y",
            'X' | 'T' => "%H:%M:%S",
            'r' => "%I:%M:%S %p",
            'R' => "%H:%M",
            '+' => "%a %b %e %H:%M:%S %Z %Y",
            _ => return self.simple(letter, narrow),
        };
        if depth > 1 {
            return None;
        }
        self.run(composite, depth + 1)
    }

    fn simple(&mut self, letter: char, narrow: bool) -> Option<()> {
        match letter {
            'Y' => self.fields.year = Some(self.signed(if narrow { 4 } else { 12 })?),
            'C' => self.fields.century = Some(self.signed(if narrow { 2 } else { 10 })?),
            'y' => {
                let year = self.number(2, 0, 99)?;
                self.fields.year = Some(year);
                self.fields.century.get_or_insert(if year >= 69 { 19 } else { 20 });
            }
            'm' => self.fields.month = Some(self.number(2, 1, 12)?),
            'B' | 'b' | 'h' => self.fields.month = Some(self.name(&MONTHS)? + 1),
            'd' | 'e' => {
                self.fields.day = Some(self.blank_or_number(1, 31)?);
            }
            'H' | 'k' => {
                self.fields.hour = Some(self.blank_or_number(0, 24)?);
            }
            'I' | 'l' => {
                self.fields.hour = Some(self.blank_or_number(1, 12)?);
            }
            'M' => self.fields.minute = Some(self.number(2, 0, 59)?),
            'S' => self.fields.second = Some(self.number(2, 0, 60)?),
            'L' => {
                self.fields.nanosecond = Some(self.fraction(if narrow { 3 } else { usize::MAX })?)
            }
            'N' => {
                self.fields.nanosecond = Some(self.fraction(if narrow { 9 } else { usize::MAX })?)
            }
            'p' | 'P' => self.half()?,
            'Z' | 'z' => self.zone()?,
            'A' | 'a' => self.name(&WEEKDAYS).map(|_| ())?,
            'j' => self.number(3, 1, 366).map(|_| ())?,
            'U' | 'W' => self.number(2, 0, 53).map(|_| ())?,
            'V' => self.number(2, 1, 53).map(|_| ())?,
            'u' => self.number(1, 1, 7).map(|_| ())?,
            'w' => self.number(1, 0, 6).map(|_| ())?,
            'G' => self.signed(if narrow { 4 } else { 12 }).map(|_| ())?,
            'g' => self.number(2, 0, 99).map(|_| ())?,
            's' | 'Q' => self.signed(18).map(|_| ())?,
            'n' | 't' => self.rest = self.rest.trim_ascii_start(),
            '%' => self.literal('%')?,
            other => {
                self.literal('%')?;
                self.literal(other)?;
            }
        }
        Some(())
    }

    fn number(&mut self, width: usize, low: i64, high: i64) -> Option<i64> {
        let count = self.rest.bytes().take(width).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(count);
        let value = digits.parse().ok()?;
        self.rest = rest;
        (low..=high).contains(&value).then_some(value)
    }

    /// Two digits, or a blank and one digit.
    fn blank_or_number(&mut self, low: i64, high: i64) -> Option<i64> {
        match self.rest.strip_prefix(' ') {
            Some(rest) => {
                self.rest = rest;
                self.number(1, low, high)
            }
            None => self.number(2, low, high),
        }
    }

    fn signed(&mut self, width: usize) -> Option<i64> {
        let negative = self.rest.starts_with('-');
        self.rest = self.rest.strip_prefix(['-', '+']).unwrap_or(self.rest);
        let value = self.number(width, 0, i64::MAX)?;
        Some(if negative { -value } else { value })
    }

    fn fraction(&mut self, width: usize) -> Option<i64> {
        let count = self.rest.bytes().take(width).take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return None;
        }
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        format!("{digits:0<9}")[..9].parse().ok()
    }

    /// A name, complete or by its first three letters, ignoring case.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let begins_with = |name: &str| {
            self.rest.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        };
        for (index, name) in names.iter().enumerate() {
            for candidate in [*name, &name[..3]] {
                if begins_with(candidate) {
                    self.rest = &self.rest[candidate.len()..];
                    return Some(index as i64);
                }
            }
        }
        None
    }

    fn half(&mut self) -> Option<()> {
        for (text, afternoon) in [("AM", false), ("PM", true), ("A.M.", false), ("P.M.", true)] {
            if self.rest.get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text)) {
                self.rest = &self.rest[text.len()..];
                self.fields.afternoon = Some(afternoon);
                return Some(());
            }
        }
        None
    }

    fn zone(&mut self) -> Option<()> {
        let letters = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let after = &self.rest[letters..];
        let head = self.rest[..letters].to_ascii_lowercase();
        let takes_offset = matches!(head.as_str(), "" | "gmt" | "ut" | "utc")
            && after.starts_with(['+', '-'])
            && after.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let mut end = letters;
        if takes_offset {
            let clock = after[1..].bytes().take_while(|b| b.is_ascii_digit() || *b == b':').count();
            end += 1 + clock;
        } else if letters == 0 {
            return None;
        } else if after.get(..4).is_some_and(|tail| tail.eq_ignore_ascii_case(" dst")) {
            end += 4;
        }
        let (name, rest) = self.rest.split_at(end);
        if !takes_offset && rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        self.fields.zone = Some(name.to_string());
        self.rest = rest;
        Some(())
    }
}

/// Whether the next part of a format reads digits, so that a preceding number is limited in width.
fn next_is_number(format: &str) -> bool {
    let mut chars = format.chars();
    match chars.next() {
        Some(c) if c.is_ascii_digit() => true,
        Some('%') => match chars.next() {
            Some(c) => c.is_ascii_digit() || "CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy".contains(c),
            None => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::time::{DEFAULT_FORMAT, format};

    fn default(text: &str) -> String {
        match parse_any(text, FORMATS, None) {
            Ok(nanos) => format(DEFAULT_FORMAT, nanos, None).unwrap(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn default_formats_are_tried_in_turn() {
        assert_eq!(default("2020-01-02T03:04:05.678 UTC"), "2020-01-02T03:04:05.678000000 UTC");
        assert_eq!(default("2020-01-02 03:04:05 +01:00"), "2020-01-02T02:04:05.000000000 UTC");
        assert_eq!(default("2020-01-02 CET"), "2020-01-01T23:00:00.000000000 UTC");
        assert_eq!(default("2020-1-2"), "2020-01-02T00:00:00.000000000 UTC");
        assert!(
            default("2020-01-02!")
                .starts_with("Unable to parse '2020-01-02!' using any of the formats %FT")
        );
    }

    #[test]
    fn formats_read_names_and_halves() {
        let read = |text, form| format("%F %T", parse(text, form, None).unwrap(), None).unwrap();
        assert_eq!(read("february 3 2020 1:30 pm", "%B %e %Y %I:%M %p"), "2020-02-03 13:30:00");
        assert_eq!(read("20200102", "%Y%m%d"), "2020-01-02 00:00:00");
        assert_eq!(read("02/03/70", "%D"), "1970-02-03 00:00:00");
        assert_eq!(
            parse("x", "%F", None).unwrap_err().to_string(),
            "Unable to parse 'x' using format '%F'"
        );
        assert!(parse("2020-01-02 UTC", "%F %Z", Some("+01:00")).is_err());
        assert_eq!(parse("1970-01-01", "%F", Some("+01:00")).unwrap(), -3600 * NANOS_PER_SECOND);
    }
}
