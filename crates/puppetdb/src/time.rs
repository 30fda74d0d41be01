//! Times: the texts that queries may contain, and the text of answers.

use serde_json::Value;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Microseconds since 1970 of a time in a query: a text of ISO 8601, by default in UTC, or
/// milliseconds since 1970.
pub(crate) fn parse(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => parse_text(text),
        Value::Number(number) => number.as_i64()?.checked_mul(1000),
        _ => None,
    }
}

/// Takes `count` digits from the start.
fn digits(text: &mut &str, count: usize) -> Option<i64> {
    let taken = text.get(..count)?;
    if !taken.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    *text = &text[count..];
    taken.parse().ok()
}

/// Takes a character from the start.
fn skip(text: &mut &str, expected: char) -> bool {
    match text.strip_prefix(expected) {
        Some(rest) => {
            *text = rest;
            true
        }
        None => false,
    }
}

pub(crate) fn parse_text(text: &str) -> Option<i64> {
    let mut rest = text;
    // Years have any number of digits, but four where the month follows at once.
    let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let year = digits(&mut rest, if length > 5 { 4 } else { length.max(1) })?;
    let is_extended = skip(&mut rest, '-');
    let (month, day) = if rest.is_empty() || rest.starts_with('T') {
        (1, 1)
    } else {
        let month = digits(&mut rest, 2)?;
        let has_day = if is_extended { skip(&mut rest, '-') } else { !rest.is_empty() };
        (month, if has_day { digits(&mut rest, 2)? } else { 1 })
    };
    let days = days_since_epoch(year, month, day)?;
    let mut micros = days.checked_mul(DAY)?;
    if skip(&mut rest, 'T') || skip(&mut rest, ' ') {
        micros += time_of_day(&mut rest)?;
        micros -= offset(&mut rest)?;
    }
    rest.is_empty().then_some(micros)
}

fn time_of_day(rest: &mut &str) -> Option<i64> {
    let mut micros = 0;
    let mut unit = 3600 * SECOND;
    let mut limit = 24;
    loop {
        let number = digits(rest, 2)?;
        if number >= limit {
            return None;
        }
        micros += number * unit;
        unit /= 60;
        limit = 60;
        if unit < SECOND {
            break;
        }
        let has_more = skip(rest, ':') || rest.starts_with(|c: char| c.is_ascii_digit());
        if !has_more {
            return Some(micros);
        }
    }
    if skip(rest, '.') {
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let fraction = digits(rest, length.min(6)).filter(|_| length > 0)?;
        // The rest is below a microsecond.
        *rest = &rest[length.saturating_sub(6)..];
        micros += fraction * 10_i64.pow(6 - u32::try_from(length.min(6)).ok()?);
    }
    Some(micros)
}

/// The offset from UTC; none means UTC.
fn offset(rest: &mut &str) -> Option<i64> {
    if rest.is_empty() || skip(rest, 'Z') {
        return Some(0);
    }
    let sign = if skip(rest, '+') {
        1
    } else if skip(rest, '-') {
        -1
    } else {
        return None;
    };
    let hours = digits(rest, 2)?;
    skip(rest, ':');
    let minutes = if rest.is_empty() { 0 } else { digits(rest, 2)? };
    Some(sign * (hours * 60 + minutes) * 60 * SECOND)
}

/// Days since 1970 in the Gregorian calendar.
fn days_since_epoch(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        1..=12 => 31,
        _ => return None,
    };
    if day < 1 || day > length {
        return None;
    }
    // Years begin in March, so that the leap day is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Year, month and day of days since 1970.
pub(crate) fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Appends the text of a time in an answer, in milliseconds.
pub(crate) fn write(micros: i64, out: &mut String) {
    let (days, of_day) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
    let (year, month, day) = date(days);
    let (seconds, millis) = (of_day / SECOND, of_day % SECOND / 1000);
    if (0..10_000).contains(&year) {
        out.push_str(std::str::from_utf8(&padded::<4>(year)).unwrap_or_default());
    } else {
        out.push_str(&format!("{year:04}"));
    }
    // A third of the fields of a list of nodes are times, for which `write!` takes most of the time.
    let mut rest = *b"-00-00T00:00:00.000Z";
    let numbers = [month, day, seconds / 3600, seconds / 60 % 60, seconds % 60];
    for (place, number) in rest.chunks_exact_mut(3).zip(numbers) {
        place[1..].copy_from_slice(&padded::<2>(number));
    }
    rest[16..19].copy_from_slice(&padded::<3>(millis));
    out.push_str(std::str::from_utf8(&rest).unwrap_or_default());
}

/// The last digits of a number, with leading zeros.
fn padded<const WIDTH: usize>(mut number: i64) -> [u8; WIDTH] {
    let mut digits = [b'0'; WIDTH];
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    digits
}

/// The text of a time in an answer, in milliseconds.
pub(crate) fn text(micros: i64) -> String {
    let mut out = String::with_capacity("2000-01-01T00:00:00.000Z".len());
    write(micros, &mut out);
    out
}

/// The text of a time within JSON that PostgreSQL makes: as many digits as needed.
pub(crate) fn json_text(micros: i64) -> String {
    let text = text(micros);
    let fraction = micros.rem_euclid(SECOND);
    let seconds = &text[..text.len() - ".000Z".len()];
    if fraction == 0 {
        return format!("{seconds}+00:00");
    }
    let digits = format!("{fraction:06}");
    format!("{seconds}.{}+00:00", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (input, output) in [
            ("2026-11-26T21:30:00.123Z", "2026-11-26T21:30:00.123Z"),
            ("2026-11-26T21:30:00+02:00", "2026-11-26T19:30:00.000Z"),
            ("2024-02-29", "2024-02-29T00:00:00.000Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            ("2026-11", "2026-11-01T00:00:00.000Z"),
            ("20261126T213000Z", "2026-11-26T21:30:00.000Z"),
            ("226-11-26T21:30:00Z", "0226-11-26T21:30:00.000Z"),
            ("2026-11-26 21:30:00", "2026-11-26T21:30:00.000Z"),
        ] {
            assert_eq!(parse_text(input).map(text).as_deref(), Some(output), "{input}");
        }
        for input in ["", "now", "2025-02-29", "2025-13-01", "2025-01-01T25:00", "2025-01-01x"] {
            assert_eq!(parse_text(input), None, "{input}");
        }
    }

    #[test]
    fn years_have_four_digits_or_more() {
        assert_eq!(text(-62_198_755_200_000_000), "-001-01-01T00:00:00.000Z");
        assert_eq!(text(253_402_300_800_000_000), "10000-01-01T00:00:00.000Z");
    }

    #[test]
    fn json_of_postgresql_has_no_trailing_zeros() {
        assert_eq!(json_text(1_500_000), "1970-01-01T00:00:01.5+00:00");
        assert_eq!(json_text(1_000_000), "1970-01-01T00:00:01+00:00");
    }
}
