//! Time zones as `strptime` reads them: offsets and a few names.

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

/// The offset in seconds at a time, in seconds since 1970, by the rules of a zone as a file of the
/// time zone database has them.
///
/// # Errors
/// When the rules cannot be read.
pub fn offset_at(rules: &[u8], seconds: i64) -> Result<i32> {
    let wrong = |error: jiff::Error| Error::Time(error.to_string());
    let zone = TimeZone::tzif("local", rules).map_err(wrong)?;
    let time = Timestamp::from_second(seconds).map_err(wrong)?;
    Ok(zone.to_offset(time).seconds())
}

/// An offset as the zone of a text: `+05:30`.
pub fn offset_text(offset: i32) -> String {
    let minutes = offset.abs() / 60;
    format!("{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
}

fn read(zone: &str) -> Option<i32> {
    let lower = zone.to_ascii_lowercase();
    if let Some((_, minutes)) = NAMES.iter().find(|(name, _)| *name == lower) {
        return Some(minutes * 60);
    }
    if let Some(base) = lower.strip_suffix(" dst") {
        let (_, minutes) = NAMES.iter().find(|(name, _)| *name == base)?;
        return Some((minutes + 60) * 60);
    }
    if let [letter] = lower.as_bytes() {
        return military(*letter).map(|hours| hours * 3600);
    }
    let signed =
        ["gmt", "utc", "ut"].iter().find_map(|name| lower.strip_prefix(name)).unwrap_or(&lower);
    let (sign, digits) = match signed.as_bytes().first()? {
        b'+' => (1, &signed[1..]),
        b'-' => (-1, &signed[1..]),
        _ => return None,
    };
    Some(sign * clock(digits)?)
}

fn military(letter: u8) -> Option<i32> {
    Some(match letter {
        b'a'..=b'i' => i32::from(letter - b'a') + 1,
        b'k'..=b'm' => i32::from(letter - b'k') + 10,
        b'n'..=b'y' => -i32::from(letter - b'n') - 1,
        _ => return None,
    })
}

/// `5`, `05`, `0530`, `053000`, `5:30` or `05:30:00` in seconds.
fn clock(text: &str) -> Option<i32> {
    let number = |part: &str| {
        let plain = !part.is_empty() && part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit());
        if plain { part.parse::<i32>().ok() } else { None }
    };
    let parts: Vec<i32> = if text.contains(':') {
        text.split(':').map(number).collect::<Option<_>>()?
    } else {
        if text.is_empty() || text.len() > 6 || !text.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let padded = if text.len() % 2 == 1 { format!("0{text}") } else { text.to_string() };
        (0..padded.len() / 2)
            .map(|index| number(&padded[index * 2..index * 2 + 2]))
            .collect::<Option<_>>()?
    };
    if parts.len() > 3 {
        return None;
    }
    let unit = |index: usize| parts.get(index).copied().unwrap_or(0);
    Some(unit(0) * 3600 + unit(1) * 60 + unit(2))
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
        ] {
            assert_eq!(offset(zone).unwrap(), seconds, "{zone}");
        }
        assert_eq!(offset("FOO").unwrap_err().to_string(), "Illegal timezone 'FOO'");
    }
}
