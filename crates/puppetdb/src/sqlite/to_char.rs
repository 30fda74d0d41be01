//! `to_char` of PostgreSQL for times in UTC.

use ordain_functions::time::{MONTHS, WEEKDAYS};

use crate::time;

const ROMAN: [&str; 12] =
    ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// The parts of a time.
struct Parts {
    year: i64,
    month: i64,
    day: i64,
    /// From 1.
    day_of_year: i64,
    /// From Sunday, 0.
    weekday: i64,
    /// Days since 1970.
    days: i64,
    second_of_day: i64,
    micros: i64,
}

impl Parts {
    fn new(micros: i64) -> Self {
        let day_length = 86_400_000_000;
        let (days, of_day) = (micros.div_euclid(day_length), micros.rem_euclid(day_length));
        let (year, month, day) = time::date(days);
        let start = time::parse_text(&format!("{year:04}-01-01")).unwrap_or(0) / day_length;
        Parts {
            year,
            month,
            day,
            day_of_year: days - start + 1,
            weekday: (days + 4).rem_euclid(7),
            days,
            second_of_day: of_day / 1_000_000,
            micros: of_day % 1_000_000,
        }
    }

    /// The year and week of ISO 8601.
    fn iso_week(&self) -> (i64, i64) {
        let thursday = self.days - (self.weekday + 6).rem_euclid(7) + 3;
        let (year, ..) = time::date(thursday);
        let start = time::parse_text(&format!("{year:04}-01-01")).unwrap_or(0) / 86_400_000_000;
        (year, (thursday - start) / 7 + 1)
    }
}

/// A number with a width.
enum Shown {
    Number(i64, usize),
    Text(String),
    /// A name with its width.
    Name(String, usize),
}

/// Formats a time, in microseconds since 1970, by a mask.
pub(super) fn to_char(micros: i64, mask: &str) -> String {
    let parts = Parts::new(micros);
    let mut out = String::new();
    let mut rest = mask;
    let mut is_filled = true;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('"') {
            let end = after.find('"').unwrap_or(after.len());
            out.push_str(&after[..end]);
            rest = after.get(end + 1..).unwrap_or_default();
            continue;
        }
        if let Some(after) = rest.strip_prefix("FM").or_else(|| rest.strip_prefix("fm")) {
            is_filled = false;
            rest = after;
            continue;
        }
        let Some((shown, length)) = pattern(&parts, rest) else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        };
        rest = &rest[length..];
        let number = match &shown {
            Shown::Number(number, _) => Some(*number),
            _ => None,
        };
        match shown {
            Shown::Number(number, width) if is_filled => out.push_str(&format!("{number:0width$}")),
            Shown::Number(number, _) => out.push_str(&number.to_string()),
            Shown::Name(name, width) if is_filled => out.push_str(&format!("{name:width$}")),
            Shown::Text(text) | Shown::Name(text, _) => out.push_str(&text),
        }
        is_filled = true;
        for (suffix, is_upper) in [("TH", true), ("th", false)] {
            if let (Some(after), Some(number)) = (rest.strip_prefix(suffix), number) {
                let ordinal = ordinal(number);
                out.push_str(&if is_upper { ordinal.to_uppercase() } else { ordinal.into() });
                rest = after;
                break;
            }
        }
    }
    out
}

fn ordinal(number: i64) -> &'static str {
    match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

/// A name in the case of its pattern.
fn cased(name: &str, pattern: &str) -> String {
    let second_is_upper = pattern.chars().nth(1).is_some_and(char::is_uppercase);
    if second_is_upper {
        name.to_uppercase()
    } else if pattern.starts_with(char::is_uppercase) {
        name.into()
    } else {
        name.to_lowercase()
    }
}

/// The text for the pattern at the start of a mask, and the pattern's length. The longest pattern comes first.
fn pattern(parts: &Parts, mask: &str) -> Option<(Shown, usize)> {
    let upper: String = mask.chars().take(8).collect::<String>().to_uppercase();
    names(parts, mask, &upper).or_else(|| numbers(parts, &upper))
}

fn names(parts: &Parts, mask: &str, upper: &str) -> Option<(Shown, usize)> {
    let month = usize::try_from(parts.month - 1).ok()?;
    let weekday = usize::try_from(parts.weekday).ok()?;
    let is_late = parts.second_of_day >= 12 * 3600;
    let tables = [
        ("MONTH", MONTHS[month], 9),
        ("MON", &MONTHS[month][..3], 3),
        ("DAY", WEEKDAYS[weekday], 9),
        ("DY", &WEEKDAYS[weekday][..3], 3),
        ("RM", ROMAN[month], 4),
    ];
    for (pattern, name, width) in tables {
        if upper.starts_with(pattern) {
            let shown = Shown::Name(cased(name, mask), width);
            return Some((shown, pattern.len()));
        }
    }
    for (pattern, late, early) in
        [("A.M.", "P.M.", "A.M."), ("P.M.", "P.M.", "A.M."), ("AM", "PM", "AM"), ("PM", "PM", "AM")]
    {
        if upper.starts_with(pattern) {
            let text = if is_late { late } else { early };
            let is_lower = mask.starts_with(char::is_lowercase);
            let text = if is_lower { text.to_lowercase() } else { text.into() };
            return Some((Shown::Text(text), pattern.len()));
        }
    }
    None
}

fn numbers(parts: &Parts, upper: &str) -> Option<(Shown, usize)> {
    let seconds = parts.second_of_day;
    let hour = seconds / 3600;
    let hour12 = if hour % 12 == 0 { 12 } else { hour % 12 };
    let (iso_year, iso_week) = parts.iso_week();
    let iso_day = if parts.weekday == 0 { 7 } else { parts.weekday };
    let year = parts.year;
    let thousands = Shown::Text(format!("{},{:03}", year / 1000, year % 1000));
    let table = [
        ("HH24", Shown::Number(hour, 2)),
        ("HH12", Shown::Number(hour12, 2)),
        ("HH", Shown::Number(hour12, 2)),
        ("MI", Shown::Number(seconds / 60 % 60, 2)),
        ("SSSSS", Shown::Number(seconds, 1)),
        ("SSSS", Shown::Number(seconds, 1)),
        ("SS", Shown::Number(seconds % 60, 2)),
        ("MS", Shown::Number(parts.micros / 1000, 3)),
        ("US", Shown::Number(parts.micros, 6)),
        ("Y,YYY", thousands),
        ("YYYY", Shown::Number(year, 4)),
        ("YYY", Shown::Number(year % 1000, 3)),
        ("YY", Shown::Number(year % 100, 2)),
        ("Y", Shown::Number(year % 10, 1)),
        ("IYYY", Shown::Number(iso_year, 4)),
        ("IYY", Shown::Number(iso_year % 1000, 3)),
        ("IY", Shown::Number(iso_year % 100, 2)),
        ("IDDD", Shown::Number((iso_week - 1) * 7 + iso_day, 3)),
        ("ID", Shown::Number(iso_day, 1)),
        ("IW", Shown::Number(iso_week, 2)),
        ("I", Shown::Number(iso_year % 10, 1)),
        ("MM", Shown::Number(parts.month, 2)),
        ("DDD", Shown::Number(parts.day_of_year, 3)),
        ("DD", Shown::Number(parts.day, 2)),
        ("D", Shown::Number(parts.weekday + 1, 1)),
        ("WW", Shown::Number((parts.day_of_year - 1) / 7 + 1, 2)),
        ("W", Shown::Number((parts.day - 1) / 7 + 1, 1)),
        ("CC", Shown::Number((year + 99) / 100, 2)),
        ("Q", Shown::Number((parts.month - 1) / 3 + 1, 1)),
        ("J", Shown::Number(parts.days + 2_440_588, 1)),
    ];
    table.into_iter().find(|(pattern, _)| upper.starts_with(pattern)).map(|(p, s)| (s, p.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_those_of_postgresql() {
        let micros = time::parse_text("2026-01-03T15:04:05.123456Z").unwrap_or(0);
        for (mask, expected) in [
            ("YYYY-MM-DD HH24:MI:SS.US", "2026-01-03 15:04:05.123456"),
            ("DAY", "SATURDAY "),
            ("FMDay, DDth Month", "Saturday, 03rd January  "),
            ("FMHH12 PM", "3 PM"),
            ("hh12 am", "03 pm"),
            ("IYYY-IW-ID", "2026-01-6"),
            ("DDD WW W Q CC J", "003 01 1 1 21 2461044"),
            ("\"year\" YYYY", "year 2026"),
            ("Mon dy RM", "Jan sat I   "),
        ] {
            assert_eq!(to_char(micros, mask), expected, "{mask}");
        }
    }
}
