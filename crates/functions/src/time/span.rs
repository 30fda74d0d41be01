//! Durations in Puppet's formats.
//!
//! `%D %H %M %S %L %N` are days down to nanoseconds; the first directive of the largest unit in a
//! format contains the whole duration. Flags: `-` no padding, `_` spaces, `0` zeros; then a width.

use crate::regex::{Dialect, Regex, compile, escape};
use crate::{Error, Result};

/// The default formats for parsing, in order; the first one prints durations.
pub const SPAN_FORMATS: &[&str] = &[
    "%D-%H:%M:%S.%-N",
    "%H:%M:%S.%-N",
    "%M:%S.%-N",
    "%S.%-N",
    "%D-%H:%M:%S",
    "%H:%M:%S",
    "%D-%H:%M",
    "%S",
];
/// The largest width a directive may have.
const MAX_WIDTH: usize = 1000;

/// The units, smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Nanosecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
}

impl Unit {
    fn of(letter: char) -> Option<Self> {
        Some(match letter {
            'D' => Unit::Day,
            'H' => Unit::Hour,
            'M' => Unit::Minute,
            'S' => Unit::Second,
            'L' => Unit::Millisecond,
            'N' => Unit::Nanosecond,
            _ => return None,
        })
    }

    /// In nanoseconds.
    fn size(self) -> u128 {
        match self {
            Unit::Nanosecond => 1,
            Unit::Millisecond => 1_000_000,
            Unit::Second => 1_000_000_000,
            Unit::Minute => 60_000_000_000,
            Unit::Hour => 3_600_000_000_000,
            Unit::Day => 86_400_000_000_000,
        }
    }

    /// The number of units in the next larger one.
    fn modulus(self) -> u128 {
        match self {
            Unit::Nanosecond => 1_000_000_000,
            Unit::Millisecond => 1000,
            Unit::Second | Unit::Minute => 60,
            Unit::Hour => 24,
            Unit::Day => u128::MAX,
        }
    }

    fn default_width(self) -> usize {
        match self {
            Unit::Nanosecond => 9,
            Unit::Millisecond => 3,
            Unit::Day => 1,
            _ => 2,
        }
    }

    fn is_fraction(self) -> bool {
        self < Unit::Second
    }
}

#[derive(Debug, Clone)]
enum Segment {
    Literal(String),
    Value { unit: Unit, pad: Option<char>, width: Option<usize>, total: bool },
}

/// A format, read once.
#[derive(Debug, Clone)]
pub struct SpanFormat {
    text: String,
    segments: Vec<Segment>,
}

impl SpanFormat {
    /// Parses a format.
    ///
    /// # Errors
    /// `Bad format specifier '%' in '%x', at position 1`
    pub fn new(text: &str) -> Result<Self> {
        let mut segments: Vec<Segment> = Vec::new();
        let mut chars = text.chars().enumerate();
        while let Some((start, c)) = chars.next() {
            if c != '%' {
                push_literal(&mut segments, c);
                continue;
            }
            let (mut pad, mut width, mut fresh) = (Some('0'), None, true);
            loop {
                let Some((at, c)) = chars.next() else {
                    return Err(bad(text, start, text.chars().count().saturating_sub(1)));
                };
                match c {
                    '%' => {
                        push_literal(&mut segments, c);
                        break;
                    }
                    '-' if fresh => pad = None,
                    '_' if fresh => pad = Some(' '),
                    '0' if fresh => pad = Some('0'),
                    '0'..='9' => {
                        let digit = c.to_digit(10).unwrap_or(0) as usize;
                        width = Some((width.unwrap_or(0) * 10 + digit).min(MAX_WIDTH));
                    }
                    _ => {
                        let unit = Unit::of(c).ok_or_else(|| bad(text, start, at))?;
                        segments.push(Segment::Value { unit, pad, width, total: false });
                        break;
                    }
                }
                fresh = false;
            }
        }
        mark_total(&mut segments);
        Ok(SpanFormat { text: text.into(), segments })
    }

    /// Prints a duration of nanoseconds.
    pub fn format(&self, nanos: i128) -> String {
        let mut out = String::from(if nanos < 0 { "-" } else { "" });
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => out.push_str(text),
                Segment::Value { unit, pad, width, total } => {
                    push_value(&mut out, *unit, *pad, *width, *total, nanos.unsigned_abs());
                }
            }
        }
        out
    }

    /// Parses a duration; returns nanoseconds.
    ///
    /// # Errors
    /// [`Error::Time`] with Puppet's texts.
    pub fn parse(&self, text: &str) -> Result<i128> {
        let unable =
            || Error::Time(format!("Unable to parse '{text}' using format '{}'", self.text));
        let found = self.pattern()?;
        let captures = found.captures(text)?.ok_or_else(unable)?;
        let mut nanos: i128 = 0;
        for (index, segment) in self.segments.iter().enumerate() {
            let Segment::Value { unit, total, .. } = segment else { continue };
            let digits = captures.get(index + 1).map_or("", |span| text[span].trim_ascii_start());
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(unable());
            }
            let part = value_of(*unit, *total, digits)?;
            nanos = part.and_then(|part| nanos.checked_add(part)).ok_or_else(unable)?;
        }
        Ok(if text.starts_with('-') { -nanos } else { nanos })
    }

    fn pattern(&self) -> Result<Regex> {
        let mut pattern = String::from(r"\A-?");
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => pattern.push_str(&format!("({})", escape(text))),
                Segment::Value { unit, pad, width, total } => {
                    let class = if *pad == Some(' ') { r"[0-9\s]" } else { "[0-9]" };
                    let piece = match (width, pad) {
                        (None, Some(' ')) if *total => r"\s*([0-9]+)".to_string(),
                        (None, _) if *total => "([0-9]+)".to_string(),
                        (None, _) => format!("({class}{{1,{}}})", unit.default_width()),
                        (Some(width), None) => format!("({class}{{1,{}}})", width.max(&1)),
                        (Some(width), _) => format!("({class}{{{width}}})"),
                    };
                    pattern.push_str(&piece);
                }
            }
        }
        pattern.push_str(r"\z");
        compile(Dialect::Ruby, &pattern)
    }
}

fn bad(text: &str, start: usize, at: usize) -> Error {
    let expression: String = text.chars().skip(start).take(at.saturating_sub(start)).collect();
    Error::Time(format!("Bad format specifier '{expression}' in '{text}', at position {at}"))
}

fn push_literal(segments: &mut Vec<Segment>, c: char) {
    match segments.last_mut() {
        Some(Segment::Literal(text)) => text.push(c),
        _ => segments.push(Segment::Literal(c.into())),
    }
}

/// Marks the first directive of the largest unit, which contains the whole duration.
fn mark_total(segments: &mut [Segment]) {
    let unit_of = |segment: &Segment| match segment {
        Segment::Value { unit, .. } => Some(*unit),
        Segment::Literal(_) => None,
    };
    let largest = segments.iter().filter_map(unit_of).max();
    let first =
        segments.iter_mut().find(|segment| largest.is_some() && unit_of(segment) == largest);
    if let Some(Segment::Value { total, .. }) = first {
        *total = true;
    }
}

fn push_value(
    out: &mut String,
    unit: Unit,
    pad: Option<char>,
    width: Option<usize>,
    total: bool,
    nanos: u128,
) {
    let room = width.unwrap_or(unit.default_width());
    let mut value = nanos / unit.size();
    let mut modulus = unit.modulus();
    if unit == Unit::Nanosecond && room < 9 {
        value /= 10_u128.pow(9 - room as u32);
        modulus = 10_u128.pow(room as u32);
    }
    if !total && unit != Unit::Day {
        value %= modulus;
    }
    if !unit.is_fraction() {
        match pad {
            None => out.push_str(&value.to_string()),
            Some('0') => out.push_str(&format!("{value:0room$}")),
            Some(_) => out.push_str(&format!("{value:room$}")),
        }
        return;
    }
    while !total && pad != Some('0') && value != 0 && value.is_multiple_of(10) {
        value /= 10;
    }
    match pad {
        None => out.push_str(&value.to_string()),
        Some(_) => out.push_str(&format!("{value:<room$}")),
    }
}

/// The nanoseconds of digits of a unit; `None` if they are too many.
fn value_of(unit: Unit, total: bool, digits: &str) -> Result<Option<i128>> {
    if !unit.is_fraction() {
        let size = unit.size() as i128;
        return Ok(digits.parse::<i128>().ok().and_then(|value| value.checked_mul(size)));
    }
    if total {
        return Err(Error::Time(
            "Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher magnitude".into(),
        ));
    }
    let scale = 10_i128.pow(9_u32.saturating_sub(digits.len() as u32));
    Ok(digits.parse::<i128>().ok().and_then(|value| value.checked_mul(scale)))
}

/// Prints a duration by a format.
///
/// ```
/// use ordain_functions::time::{SPAN_FORMATS, format_span};
/// assert_eq!(format_span(SPAN_FORMATS[0], 97_380_000_000_000)?, "1-03:03:00.0");
/// # Ok::<(), ordain_functions::Error>(())
/// ```
///
/// # Errors
/// [`Error::Time`] if the format is bad.
pub fn format_span(format: &str, nanos: i128) -> Result<String> {
    Ok(SpanFormat::new(format)?.format(nanos))
}

/// Parses a duration with the first format that matches.
///
/// # Errors
/// [`Error::Time`] with Puppet's texts.
pub fn parse_span(text: &str, formats: &[&str]) -> Result<i128> {
    for format in formats {
        if let Ok(nanos) = SpanFormat::new(format)?.parse(text) {
            return Ok(nanos);
        }
    }
    let formats = formats.join(", ");
    Err(Error::Time(format!("Unable to parse '{text}' using any of the formats {formats}")))
}

/// A duration from days, hours, minutes, seconds, milliseconds, microseconds and nanoseconds.
pub fn span_from_fields(negative: bool, fields: [i64; 7]) -> i128 {
    const STEPS: [i128; 7] = [1, 24, 60, 60, 1000, 1000, 1000];
    let nanos =
        fields.iter().zip(STEPS).fold(0, |sum, (&field, step)| sum * step + i128::from(field));
    if negative { -nanos } else { nanos }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_largest_unit_takes_all() {
        let nanos = span_from_fields(false, [1, 1, 3, 0, 0, 0, 0]);
        assert_eq!(format_span("%D-%H:%M:%S.%-N", nanos).unwrap(), "1-01:03:00.0");
        assert_eq!(format_span("%H h", nanos).unwrap(), "25 h");
        assert_eq!(format_span("%_4M|%-S|%L", nanos).unwrap(), "1503|0|0  ");
        assert_eq!(format_span("%S.%3N", 1_500_000_000).unwrap(), "01.500");
        assert_eq!(format_span("%S.%-N", -1_500_000_000).unwrap(), "-01.5");
    }

    #[test]
    fn reads_what_it_prints() {
        for (text, nanos) in [
            ("1-02:03:04.5", span_from_fields(false, [1, 2, 3, 4, 500, 0, 0])),
            ("-02:03", -span_from_fields(false, [0, 0, 2, 3, 0, 0, 0])),
            ("10:20:30", span_from_fields(false, [0, 10, 20, 30, 0, 0, 0])),
        ] {
            let formats: Vec<&str> = [SPAN_FORMATS, &["%M:%S"]].concat();
            assert_eq!(parse_span(text, &formats).unwrap(), nanos, "{text}");
        }
        assert_eq!(
            SpanFormat::new("%H").unwrap().parse("x").unwrap_err().to_string(),
            "Unable to parse 'x' using format '%H'"
        );
        assert_eq!(
            SpanFormat::new("a%x").unwrap_err().to_string(),
            "Bad format specifier '%' in 'a%x', at position 2"
        );
        assert!(
            SpanFormat::new("%N")
                .unwrap()
                .parse("5")
                .unwrap_err()
                .to_string()
                .contains("fractions")
        );
    }
}
