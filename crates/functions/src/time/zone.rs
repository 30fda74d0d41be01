//! Time zones of `strptime`: offsets and a few names.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::{Error, Result};

/// Names with their offsets in minutes.
const NAMES: &[(&str, i32)] = &[
    ("utc", 0),
    ("gmt", 0),
    ("ut", 0),
    ("z", 0),
    ("wet", 0),
    ("west", 60),
    ("bst", 60),
    ("cet", 60),
    ("cest", 120),
    ("met", 60),
    ("mest", 120),
    ("mez", 60),
    ("mesz", 120),
    ("eet", 120),
    ("eest", 180),
    ("msk", 180),
    ("msd", 240),
    ("ist", 330),
    ("jst", 540),
    ("est", -300),
    ("edt", -240),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
    ("akst", -540),
    ("akdt", -480),
    ("hst", -600),
    ("hdt", -540),
    ("ast", -240),
    ("adt", -180),
    ("nst", -210),
    ("ndt", -150),
    ("brt", -180),
    ("brst", -120),
    ("eat", 180),
    ("cat", 120),
    ("sast", 120),
    ("wat", 60),
    ("hkt", 480),
    ("sgt", 480),
    ("pht", 480),
    ("kst", 540),
    ("aest", 600),
    ("aedt", 660),
    ("acst", 570),
    ("acdt", 630),
    ("awst", 480),
    ("nzst", 720),
    ("nzdt", 780),
    ("nzt", 720),
];

/// The offset of a zone in seconds: `+05:30`, `-0800`, `UTC+3`, or a name such as `CET`.
///
/// # Errors
/// `Illegal timezone 'x'`
pub fn offset(zone: &str) -> Result<i32> {
    read(zone).ok_or_else(|| Error::Time(format!("Illegal timezone '{zone}'")))
}

/// The offset in seconds at a time, in seconds since 1970, by the rules of a TZif file.
///
/// # Errors
/// When the rules cannot be read.
pub fn offset_at(rules: &[u8], seconds: i64) -> Result<i32> {
    let wrong = |error: jiff::Error| Error::Time(error.to_string());
    let zone = TimeZone::tzif("local", rules).map_err(wrong)?;
    let time = Timestamp::from_second(seconds).map_err(wrong)?;
    Ok(zone.to_offset(time).seconds())
}

/// A time for the time zone library. It supports the years from -9999 to 9999; times beyond, as on
/// a machine with a wrong clock, become the nearest supported time.
pub fn timestamp(time: SystemTime) -> Timestamp {
    let is_past = time < SystemTime::UNIX_EPOCH;
    let nearest = if is_past { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(nearest)
}

/// An offset as the zone of a text: `+05:30`.
pub fn offset_text(offset: i32) -> String {
    let minutes = offset.abs() / 60;
    format!("{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
}

/// An offset in whole minutes. Offsets of more than a day are refused.
///
/// # Errors
/// `Illegal timezone 'x'`, or that the offset is too large.
pub fn clock_offset(zone: &str) -> Result<i32> {
    let expected = || {
        Error::Time(format!(
            "\"+HH:MM\", \"-HH:MM\", \"UTC\" or \"A\"..\"I\",\"K\"..\"Z\" expected for utc_offset: {zone}"
        ))
    };
    let is_plain = matches!(
        zone.as_bytes(),
        [b'+' | b'-', h, t, b':', m, n] if [h, t, m, n].iter().all(|b| b.is_ascii_digit())
    );
    if is_plain && zone.as_bytes()[4] > b'5' {
        return Err(expected());
    }
    let seconds = match is_plain {
        // An hour beyond the day gets its own message here.
        true => {
            let number = |at: usize| zone[at..at + 2].parse::<i32>().unwrap_or_default();
            (number(1) * 3600 + number(4) * 60) * if zone.starts_with('-') { -1 } else { 1 }
        }
        false => offset(zone)?.div_euclid(60) * 60,
    };
    if seconds.abs() >= 24 * 3600 {
        return Err(Error::Time("utc_offset out of range".into()));
    }
    Ok(seconds)
}

/// The zone that the text begins with.
fn read(text: &str) -> Option<i32> {
    let lower = text.to_ascii_lowercase();
    let name = ["gmt", "utc", "ut"].into_iter().find(|name| lower.starts_with(name));
    if let Some(rest) = lower[name.map_or(0, str::len)..].strip_prefix(['+', '-'])
        && rest.starts_with(|c: char| c.is_ascii_digit())
    {
        // Only two of the names are allowed before the sign.
        let sign = if lower[..lower.len() - rest.len()].ends_with('-') { -1 } else { 1 };
        return if name == Some("ut") { None } else { Some(sign * clock(rest)?) };
    }
    match long_name(&lower) {
        Some((name, summer)) => Some((named(&name)? + summer) * 60),
        None => short_name(&lower),
    }
}

/// The name in `est standard time` and `est daylight time`, and the offset of daylight time in
/// seconds.
fn long_name(text: &str) -> Option<(String, i32)> {
    let end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '.' && !c.is_ascii_whitespace());
    let words: Vec<&str> = text[..end.unwrap_or(text.len())].split_ascii_whitespace().collect();
    let at = words
        .windows(2)
        .rposition(|w| matches!(w[0], "standard" | "daylight") && w[1] == "time")?;
    Some((words[..at].join(" "), if words[at] == "daylight" { 60 } else { 0 }))
}

/// `est`, `est dst`, `a`.
fn short_name(text: &str) -> Option<i32> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() || rest.starts_with(is_word) {
        return None;
    }
    let after = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let dst = after.len() < rest.len()
        && after.strip_prefix("dst").is_some_and(|rest| !rest.starts_with(is_word));
    Some((named(name)? + if dst { 60 } else { 0 }) * 60)
}

/// The offset of a name in minutes.
fn named(name: &str) -> Option<i32> {
    match name.as_bytes() {
        [letter] if *letter != b'z' => military(*letter).map(|hours| hours * 60),
        _ => NAMES.iter().find(|(known, _)| *known == name).map(|(_, minutes)| *minutes),
    }
}

fn military(letter: u8) -> Option<i32> {
    Some(match letter {
        b'a'..=b'i' => i32::from(letter - b'a') + 1,
        b'k'..=b'm' => i32::from(letter - b'k') + 10,
        b'n'..=b'y' => -i32::from(letter - b'n') - 1,
        _ => return None,
    })
}

/// `5`, `05`, `0530`, `053000`, `5:30`, `05:30:00` or `5.5` in seconds; the rest is ignored.
fn clock(text: &str) -> Option<i32> {
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (first, mut rest) = text.split_at(digits(text));
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let fraction = &fraction[..digits(fraction).min(7)];
        let hours: i64 = first.parse().ok()?;
        let parts = fraction.parse::<i64>().unwrap_or(0) * 3600 / 10_i64.pow(fraction.len() as u32);
        return i32::try_from(hours.checked_mul(3600)?.checked_add(parts)?).ok();
    }
    let mut parts = Vec::new();
    if rest.starts_with(':') {
        parts.push(first.parse::<i32>().ok()?);
        while let Some(more) = rest.strip_prefix(':').filter(|_| parts.len() < 3) {
            let (part, after) = more.split_at(digits(more));
            if part.is_empty() {
                break;
            }
            parts.push(part.parse::<i32>().ok()?);
            rest = after;
        }
    } else {
        let (lead, more) = first.split_at(2 - first.len() % 2);
        parts.push(lead.parse().ok()?);
        let pairs = more.as_bytes().chunks_exact(2).take(2);
        parts.extend(pairs.map(|pair| i32::from(pair[0] - b'0') * 10 + i32::from(pair[1] - b'0')));
    }
    let unit = |index: usize| parts.get(index).copied().unwrap_or(0);
    let hours = unit(0).checked_mul(3600)?;
    hours.checked_add(unit(1).checked_mul(60)?)?.checked_add(unit(2))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn offsets_and_names() {
        for (zone, seconds) in [
            ("+05:30", 19_800),
            ("-0800", -28_800),
            ("GMT+3", 10_800),
            ("EST", -18_000),
            ("Z", 0),
            ("CET", 3600),
            ("+530", 19_800),
            ("-8", -28_800),
            ("a-b_c", 3600),
            ("EST dst x", -14_400),
            ("est Standard Time", -18_000),
            ("utc+5.5x", 19_800),
            ("+1234567", 5025),
            ("CET/CEST", 3600),
        ] {
            assert_eq!(offset(zone).unwrap(), seconds, "{zone}");
        }
        for zone in ["estx", "a1", "1a", "ut+1", "+99999999:00", "", "+", "est_"] {
            assert!(offset(zone).is_err(), "{zone}");
        }
        assert_eq!(clock_offset("gmt-3:30:15").unwrap(), -12_660);
        assert_eq!(clock_offset("+24:00").unwrap_err().to_string(), "utc_offset out of range");
        assert_eq!(offset("FOO").unwrap_err().to_string(), "Illegal timezone 'FOO'");
    }

    #[test]
    fn clocks_may_be_wrong() {
        use std::time::Duration;
        let after = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(timestamp(after(1)), Timestamp::from_second(1).unwrap());
        // The year 10000, and one beyond all calendars.
        assert_eq!(timestamp(after(253_402_300_800)), Timestamp::MAX);
        assert_eq!(timestamp(after(1 << 60)), Timestamp::MAX);
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1 << 60);
        assert_eq!(timestamp(before), Timestamp::MIN);
    }
}
