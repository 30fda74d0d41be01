//! Dates and times as pydantic reads them.

use crate::value::{Value, float_integer};

const SECONDS_A_DAY: f64 = 86_400.0;
/// Above this a timestamp counts milliseconds.
const MILLISECONDS_FROM: f64 = 2e10;
/// The seconds of the years 1 and 9999, where Python's dates end.
const RANGE: std::ops::RangeInclusive<f64> = -62_135_596_800.0..=253_402_300_799.0;

/// The seconds that a number, or a text which is one, counts from 1970.
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

/// What follows a date `YYYY-MM-DD`.
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

/// Reads `HH:MM[:SS[.f]][zone]`; says whether it is midnight.
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
