//! Dates and times in pydantic's formats.

use crate::value::{Value, float_integer};

const SECONDS_A_DAY: f64 = 86_400.0;
/// Timestamps above this are in milliseconds, others in seconds.
const MILLISECONDS_FROM: f64 = 2e10;
/// The range of Python's dates in seconds: the years 1 to 9999.
const RANGE: std::ops::RangeInclusive<f64> = -62_135_596_800.0..=253_402_300_799.0;

/// The seconds since 1970 of a number, or of a text with a number.
fn timestamp(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Int(number) => *number as f64,
        Value::Float(number) => *number,
        Value::Str(text) => {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
                && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
            text.parse::<f64>().ok().filter(|_| is_number)?
        }
        _ => return None,
    };
    let seconds = if number.abs() > MILLISECONDS_FROM { number / 1000.0 } else { number };
    RANGE.contains(&seconds).then_some(seconds)
}

pub(super) fn is_date(value: &Value) -> bool {
    if let Some(seconds) = timestamp(value) {
        return float_integer(seconds).is_some() && seconds % SECONDS_A_DAY == 0.0;
    }
    let Some(text) = value.as_str() else { return false };
    match split_date(text) {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix(['T', 't', ' ', '_'])
            .and_then(read_time)
            .is_some_and(|is_midnight| is_midnight),
        None => false,
    }
}

/// The seconds since 1970 at the beginning of a date.
pub(super) fn date_seconds(value: &Value) -> Option<f64> {
    if !is_date(value) {
        return None;
    }
    match timestamp(value) {
        Some(seconds) => Some(seconds),
        None => day_of(value.as_str()?).map(|day| day * SECONDS_A_DAY),
    }
}

/// The seconds since 1970 of a date and time, and whether it has a time zone; UTC is the default.
pub(super) fn moment(value: &Value) -> Option<(f64, bool)> {
    if !is_datetime(value) {
        return None;
    }
    if let Some(seconds) = timestamp(value) {
        return Some((seconds, true));
    }
    let text = value.as_str()?;
    let mut seconds = day_of(text)? * SECONDS_A_DAY;
    let Some(clock) = text.get(11..) else { return Some((seconds, false)) };
    let part = |from: usize| clock.get(from..from + 2).and_then(number).map_or(0.0, f64::from);
    seconds += part(0) * 3600.0 + part(3) * 60.0;
    if clock.get(5..6) == Some(":") {
        seconds += part(6);
    }
    let zone = clock.rfind(['+', '-', '\u{2212}', 'Z', 'z']);
    if let Some(at) = zone {
        let digits: String = clock[at..].chars().filter(char::is_ascii_digit).collect();
        let hours = digits.get(..2).and_then(number).map_or(0.0, f64::from);
        let minutes = digits.get(2..).and_then(number).map_or(0.0, f64::from);
        let sign = if clock[at..].starts_with('+') { -1.0 } else { 1.0 };
        seconds += sign * (hours * 3600.0 + minutes * 60.0);
    }
    Some((seconds, zone.is_some()))
}

/// The days since 1970 of a date `YYYY-MM-DD`.
fn day_of(text: &str) -> Option<f64> {
    let part = |from: usize, to: usize| text.get(from..to).and_then(number).map(i64::from);
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    // Years are counted from March, so that the leap day is their last day.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days as f64)
}

pub(super) fn is_time(text: &str) -> bool {
    read_time(text).is_some()
}

pub(super) fn is_datetime(value: &Value) -> bool {
    if timestamp(value).is_some() {
        return true;
    }
    let Some(text) = value.as_str() else { return false };
    match split_date(text) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(['T', 't', ' ', '_']).is_some_and(is_time),
        None => false,
    }
}

fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// The text after a date `YYYY-MM-DD`.
fn split_date(text: &str) -> Option<&str> {
    let (date, rest) = text.split_at_checked(10)?;
    if date.get(4..5)? != "-" || date.get(7..8)? != "-" {
        return None;
    }
    let (year, month, day) =
        (number(date.get(..4)?)?, number(date.get(5..7)?)?, number(date.get(8..)?)?);
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (year > 0 && (1..=days).contains(&day)).then_some(rest)
}

/// Reads `HH:MM[:SS[.f]][zone]`; returns whether it is midnight.
fn read_time(text: &str) -> Option<bool> {
    let two = |from: usize| number(text.get(from..from + 2)?);
    let (hour, minute) = (two(0)?, two(3)?);
    if text.get(2..3)? != ":" || hour > 23 || minute > 59 {
        return None;
    }
    let mut rest = text.get(5..)?;
    let mut is_midnight = hour == 0 && minute == 0;
    if rest.starts_with(':') {
        let second = two(6)?;
        if second > 59 {
            return None;
        }
        is_midnight &= second == 0;
        rest = text.get(8..)?;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if !(1..=9).contains(&digits) {
                return None;
            }
            is_midnight &= fraction[..digits].bytes().all(|b| b == b'0');
            rest = &fraction[digits..];
        }
    }
    is_zone(rest).then_some(is_midnight)
}

fn is_zone(text: &str) -> bool {
    if matches!(text, "" | "Z" | "z") {
        return true;
    }
    let Some(offset) = text.strip_prefix(['+', '-', '\u{2212}']) else { return false };
    let (hours, minutes) = match (offset.len(), offset.split_once(':')) {
        (5, Some(parts)) => parts,
        (4, None) if offset.is_ascii() => offset.split_at(2),
        _ => return false,
    };
    let fits = |text: &str, limit: u32| text.len() == 2 && number(text).is_some_and(|n| n < limit);
    fits(hours, 24) && fits(minutes, 60)
}
