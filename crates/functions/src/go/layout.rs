//! Times by an example: the layouts of the package `time` (`Mon Jan 2 15:04:05 MST 2006`).

use crate::time::{MONTHS, WEEKDAYS};
use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::{Error, Result};

/// A time as the clocks of a place show it.
#[derive(Clone, Debug)]
pub struct Time {
    zoned: jiff::Zoned,
}

/// The element of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    SpaceDay,
    ZeroDay,
    SpaceYearDay,
    ZeroYearDay,
    Hour24,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperHalf,
    LowerHalf,
    Zone,
    /// Digits of the offset; with colons; as `Z` if there is none.
    Offset {
        length: u8,
        has_colons: bool,
        is_iso: bool,
    },
    Fraction {
        digits: usize,
        is_trimmed: bool,
        mark: char,
    },
}

/// The texts of parts, longest first where one begins with another.
const PARTS: &[(&str, Part)] = &[
    ("January", Part::LongMonth),
    ("Jan", Part::Month),
    ("Monday", Part::LongWeekday),
    ("Mon", Part::Weekday),
    ("MST", Part::Zone),
    ("002", Part::ZeroYearDay),
    ("01", Part::ZeroMonth),
    ("02", Part::ZeroDay),
    ("03", Part::ZeroHour12),
    ("04", Part::ZeroMinute),
    ("05", Part::ZeroSecond),
    ("06", Part::Year),
    ("15", Part::Hour24),
    ("1", Part::NumMonth),
    ("2006", Part::LongYear),
    ("2", Part::Day),
    ("__2", Part::SpaceYearDay),
    ("_2", Part::SpaceDay),
    ("3", Part::Hour12),
    ("4", Part::Minute),
    ("5", Part::Second),
    ("PM", Part::UpperHalf),
    ("pm", Part::LowerHalf),
    ("-070000", Part::Offset { length: 3, has_colons: false, is_iso: false }),
    ("-07:00:00", Part::Offset { length: 3, has_colons: true, is_iso: false }),
    ("-0700", Part::Offset { length: 2, has_colons: false, is_iso: false }),
    ("-07:00", Part::Offset { length: 2, has_colons: true, is_iso: false }),
    ("-07", Part::Offset { length: 1, has_colons: false, is_iso: false }),
    ("Z070000", Part::Offset { length: 3, has_colons: false, is_iso: true }),
    ("Z07:00:00", Part::Offset { length: 3, has_colons: true, is_iso: true }),
    ("Z0700", Part::Offset { length: 2, has_colons: false, is_iso: true }),
    ("Z07:00", Part::Offset { length: 2, has_colons: true, is_iso: true }),
    ("Z07", Part::Offset { length: 1, has_colons: false, is_iso: true }),
];

/// The part at the beginning of a layout, and its length.
fn part(layout: &str) -> Option<(Part, usize)> {
    if let Some(found) = fraction(layout) {
        return Some(found);
    }
    if layout.starts_with("_2006") {
        // The year after a literal underscore.
        return None;
    }
    let (text, part) = PARTS.iter().find(|(text, _)| layout.starts_with(text))?;
    let follows = layout.get(text.len()..).unwrap_or("");
    if *part == Part::Month && follows.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    if *part == Part::Weekday && follows.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    Some((*part, text.len()))
}

/// `.000` or `,999`, if no digit follows.
fn fraction(layout: &str) -> Option<(Part, usize)> {
    let mark = layout.chars().next().filter(|c| matches!(c, '.' | ','))?;
    let rest = layout.get(1..)?;
    let digit = rest.chars().next().filter(|c| matches!(c, '0' | '9'))?;
    let digits = rest.chars().take_while(|c| *c == digit).count();
    let after = rest.get(digits..).unwrap_or("");
    if after.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((Part::Fraction { digits, is_trimmed: digit == '9', mark }, digits + 1))
}

impl Time {
    /// A time in the zone of a TZif file, or in UTC.
    ///
    /// # Errors
    /// If it is outside the calendar, or the rules are invalid.
    pub fn new(seconds: i64, nanos: i32, zone: Option<&[u8]>) -> Result<Self> {
        let point = Timestamp::new(seconds, nanos)
            .map_err(|_| Error::Time("the time lies outside of the calendar".into()))?;
        let zone = match zone {
            Some(rules) => TimeZone::tzif("", rules)
                .map_err(|error| Error::Time(format!("bad rules of a time zone: {error}")))?,
            None => TimeZone::UTC,
        };
        Ok(Self { zoned: point.to_zoned(zone) })
    }

    /// The hour of the day.
    pub fn hour(&self) -> i64 {
        self.zoned.hour().into()
    }

    /// The name of the day of the week.
    pub fn weekday(&self) -> &'static str {
        let index = usize::try_from(self.zoned.weekday().to_sunday_zero_offset()).unwrap_or(0);
        WEEKDAYS.get(index).copied().unwrap_or("Sunday")
    }

    /// The beginning of the next day, in seconds since 1970.
    pub fn next_day(&self) -> i64 {
        let next = self.zoned.tomorrow().and_then(|next| next.start_of_day());
        let now = self.zoned.timestamp().as_second();
        next.map_or(now.saturating_add(86_400), |next| next.timestamp().as_second())
    }

    /// The time by a layout.
    pub fn format(&self, layout: &str) -> String {
        let mut out = String::with_capacity(layout.len() + 8);
        let mut rest = layout;
        while let Some(c) = rest.chars().next() {
            // A point only begins a fraction if one follows.
            match part(rest) {
                Some((part, length)) => {
                    self.push(part, &mut out);
                    rest = rest.get(length..).unwrap_or("");
                }
                None => {
                    out.push(c);
                    rest = rest.get(c.len_utf8()..).unwrap_or("");
                }
            }
        }
        out
    }

    fn push(&self, part: Part, out: &mut String) {
        let z = &self.zoned;
        let hour12 = if z.hour() % 12 == 0 { 12 } else { z.hour() % 12 };
        let month = MONTHS.get(usize::try_from(z.month() - 1).unwrap_or(0)).copied().unwrap_or("");
        let half = if z.hour() >= 12 { "PM" } else { "AM" };
        let _ = match part {
            Part::LongMonth => out.write_str(month),
            Part::Month => out.write_str(month.get(..3).unwrap_or(month)),
            Part::NumMonth => write!(out, "{}", z.month()),
            Part::ZeroMonth => write!(out, "{:02}", z.month()),
            Part::LongWeekday => out.write_str(self.weekday()),
            Part::Weekday => out.write_str(self.weekday().get(..3).unwrap_or("")),
            Part::Day => write!(out, "{}", z.day()),
            Part::SpaceDay => write!(out, "{:2}", z.day()),
            Part::ZeroDay => write!(out, "{:02}", z.day()),
            Part::SpaceYearDay => write!(out, "{:3}", z.day_of_year()),
            Part::ZeroYearDay => write!(out, "{:03}", z.day_of_year()),
            Part::Hour24 => write!(out, "{:02}", z.hour()),
            Part::Hour12 => write!(out, "{hour12}"),
            Part::ZeroHour12 => write!(out, "{hour12:02}"),
            Part::Minute => write!(out, "{}", z.minute()),
            Part::ZeroMinute => write!(out, "{:02}", z.minute()),
            Part::Second => write!(out, "{}", z.second()),
            Part::ZeroSecond => write!(out, "{:02}", z.second()),
            Part::LongYear => write!(out, "{:04}", z.year()),
            Part::Year => write!(out, "{:02}", z.year().rem_euclid(100)),
            Part::UpperHalf => out.write_str(half),
            Part::LowerHalf => out.write_str(&half.to_lowercase()),
            Part::Zone => out.write_str(&self.zone()),
            Part::Offset { length, has_colons, is_iso } => {
                self.push_offset(length, has_colons, is_iso, out);
                Ok(())
            }
            Part::Fraction { digits, is_trimmed, mark } => {
                self.push_fraction(digits, is_trimmed, mark, out);
                Ok(())
            }
        };
    }

    /// The abbreviation of the zone.
    fn zone(&self) -> String {
        let info = self.zoned.time_zone().to_offset_info(self.zoned.timestamp());
        info.abbreviation().to_owned()
    }

    fn push_offset(&self, length: u8, has_colons: bool, is_iso: bool, out: &mut String) {
        let offset = self.zoned.offset().seconds();
        if is_iso && offset == 0 {
            return out.push('Z');
        }
        let (sign, offset) = (if offset < 0 { '-' } else { '+' }, offset.abs());
        let colon = if has_colons { ":" } else { "" };
        let _ = write!(out, "{sign}{:02}", offset / 3600);
        if length > 1 {
            let _ = write!(out, "{colon}{:02}", offset / 60 % 60);
        }
        if length > 2 {
            let _ = write!(out, "{colon}{:02}", offset % 60);
        }
    }

    fn push_fraction(&self, digits: usize, is_trimmed: bool, mark: char, out: &mut String) {
        let nanos = format!("{:09}", self.zoned.subsec_nanosecond());
        let text = nanos.get(..digits.min(9)).unwrap_or(&nanos);
        let text = if is_trimmed { text.trim_end_matches('0') } else { text };
        if !text.is_empty() {
            out.push(mark);
            out.push_str(text);
        }
    }
}

/// As Go prints a time: `1970-01-01 00:00:00 +0000 UTC`.
impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.format("2006-01-02 15:04:05.999999999 -0700 MST"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_are_written_by_example() {
        let time = Time::new(1_234_567_890, 123_450_000, None).unwrap();
        for (layout, want) in [
            ("Mon Jan _2 15:04:05 2006", "Fri Feb 13 23:31:30 2009"),
            ("2006-01-02T15:04:05.000Z07:00", "2009-02-13T23:31:30.123Z"),
            ("3:04PM .999999 MST -0700", "11:31PM .12345 UTC +0000"),
            ("Monday, January 002 __2 06", "Friday, February 044  44 09"),
            ("x.5 Month é_2006", "x.30 Month é_2009"),
        ] {
            assert_eq!(time.format(layout), want, "{layout}");
        }
        assert_eq!(time.to_string(), "2009-02-13 23:31:30.12345 +0000 UTC");
        assert_eq!((time.hour(), time.weekday()), (23, "Friday"));
        assert_eq!(time.next_day(), 1_234_569_600);
    }
}
