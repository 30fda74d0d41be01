//! Times as microseconds since 1970 in UTC, and PuppetDB's text formats for them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Microseconds in a second.
pub(crate) const SECOND: i64 = 1_000_000;

/// Microseconds in a day.
pub(crate) const DAY: i64 = 86_400 * SECOND;

/// The current time in microseconds since 1970.
pub fn now() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
        // A clock that says earlier than 1970 is wrong anyway.
        Err(_) => 0,
    }
}

/// Whether stored data is later than data of `time`. A time after `now` says nothing, because the
/// clocks of servers differ and jump: it must not keep out what nodes send now.
pub(crate) fn is_later(stored: i64, time: i64, now: i64) -> bool {
    stored > time && stored <= now
}

/// Parses a time with an offset, such as `2014-07-10T22:33:54.781+02:00`, or with `Z`. Digits after
/// the microseconds are dropped.
pub fn parse_time(text: &str) -> Option<i64> {
    let (local, rest) = parse_local(text)?;
    Some(local - parse_offset(rest)?)
}

/// Parses the formats that PuppetDB accepts for the time of facts, which also include times without
/// an offset, dates, and numbers of milliseconds.
pub(crate) fn parse_lenient(text: &str) -> Option<i64> {
    if let Some(time) = parse_time(text) {
        return Some(time);
    }
    if let Some((local, "")) = parse_local(text) {
        return Some(local);
    }
    if let Some((days, "")) = parse_date(text) {
        return days.checked_mul(DAY);
    }
    let digits = text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit());
    if digits {
        let dashed = format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]);
        if let Some((days, "")) = parse_date(&dashed) {
            return days.checked_mul(DAY);
        }
    }
    text.parse::<i64>().ok()?.checked_mul(1000)
}

/// Parses a date and a time of day. Also returns the rest of the text.
fn parse_local(text: &str) -> Option<(i64, &str)> {
    let (days, rest) = parse_date(text)?;
    let rest = rest.strip_prefix(['T', 't'])?;
    let (hours, rest) = number(rest, 2)?;
    let (minutes, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (seconds, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest, 2)?,
        None => (0, rest),
    };
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let (micros, rest) = match rest.strip_prefix('.') {
        Some(rest) => parse_fraction(rest)?,
        None => (0, rest),
    };
    Some((days * DAY + ((hours * 60 + minutes) * 60 + seconds) * SECOND + micros, rest))
}

fn parse_date(text: &str) -> Option<(i64, &str)> {
    let (year, rest) = number(text, 4)?;
    let (month, rest) = number(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = number(rest.strip_prefix('-')?, 2)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=length).contains(&day).then(|| (days_since_1970(year, month, day), rest))
}

/// Parses up to nine digits, as microseconds.
fn parse_fraction(text: &str) -> Option<(i64, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    if length > 9 {
        return None;
    }
    let (digits, rest) = text.split_at(length);
    let micros = format!("{digits:0<6}").get(..6)?.parse().ok()?;
    Some((micros, rest))
}

/// Parses `Z`, or hours and minutes with a sign, as microseconds.
fn parse_offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match text.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, rest) = number(&text[1..], 2)?;
    let (minutes, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest, 2)?,
        None => (0, rest),
    };
    (hours <= 18 && minutes <= 59 && rest.is_empty())
        .then_some(sign * (hours * 60 + minutes) * 60 * SECOND)
}

/// Parses a number of exactly this many digits.
fn number(text: &str, length: usize) -> Option<(i64, &str)> {
    let (digits, rest) = text.split_at_checked(length)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    Some((digits.parse().ok()?, rest))
}

/// Days from 1970-01-01 to a Gregorian date. Years start in March here, so that the leap day is the
/// last day.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let century = year.div_euclid(100);
    let days = 365 * year + year.div_euclid(4) - century + century.div_euclid(4);
    days + (153 * month + 2) / 5 + day - 719_469
}

/// The format of PuppetDB's API: UTC with milliseconds, such as `2014-07-10T20:33:54.781Z`.
pub fn format_time(micros: i64) -> String {
    let days = micros.div_euclid(DAY);
    let (year, month, day) = date_of(days);
    let millis = micros.rem_euclid(DAY) / 1000;
    let (seconds, millis) = (millis / 1000, millis % 1000);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{millis:03}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// The date that is this many days after 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    // Days since March 1st of the year 0.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = year_of_era + era * 400;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, shown) in [
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
            ("2014-07-10T22:33:54.781+02:00", "2014-07-10T20:33:54.781Z"),
            ("2000-02-29T23:59:59.999999999-01:30", "2000-03-01T01:29:59.999Z"),
            ("2026-11-26T21:43Z", "2026-11-26T21:43:00.000Z"),
            ("1969-12-31t23:59:59.5z", "1969-12-31T23:59:59.500Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
        ] {
            assert_eq!(parse_time(text).map(format_time).as_deref(), Some(shown), "{text}");
        }
        for text in [
            "",
            "2014",
            "2014-02-30T00:00:00Z",
            "2014-01-01T24:00:00Z",
            "2014-01-01T00:00:00",
            "2014-01-01 00:00:00Z",
            "é014-01-01T00:00:00Z",
            "2014-01-01T00:00:00+1",
            "2014-01-01T00:00:00Zx",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_is_read_as_it_is_written() {
        for days in (-719_162..2_932_896).step_by(97) {
            assert_eq!(parse_time(&format_time(days * DAY)), Some(days * DAY));
        }
    }

    #[test]
    fn facts_may_have_other_times() {
        for (text, shown) in [
            ("2014-07-10", "2014-07-10T00:00:00.000Z"),
            ("20140710", "2014-07-10T00:00:00.000Z"),
            ("2014-07-10T01:02:03", "2014-07-10T01:02:03.000Z"),
            ("1404945234781", "2014-07-09T22:33:54.781Z"),
        ] {
            assert_eq!(parse_lenient(text).map(format_time).as_deref(), Some(shown), "{text}");
        }
        assert_eq!(parse_lenient("soon"), None);
        assert_eq!(parse_lenient("9223372036854775807"), None);
    }
}
