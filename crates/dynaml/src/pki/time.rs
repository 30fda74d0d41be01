//! Times in Go's layout `Jan 2 15:04:05 2006`.

use ordain_functions::time::{Civil, NANOS_PER_SECOND};

use crate::text::quoted;

const LAYOUT: &str = "Jan 2 15:04:05 2006";
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The date and time of a number of seconds since 1970.
pub(super) fn civil(seconds: i64) -> Civil {
    Civil::from_nanos(i128::from(seconds) * NANOS_PER_SECOND)
}

/// The seconds since 1970 at a date and time; `None` if it does not exist.
pub(super) fn seconds(date: [i64; 3], clock: [i64; 3]) -> Option<i64> {
    let nanos = Civil::to_nanos(date[0], date[1], date[2], clock, 0);
    let seconds = i64::try_from(nanos.div_euclid(NANOS_PER_SECOND)).ok()?;
    let back = civil(seconds);
    let same =
        [back.year, back.month, back.day] == date && [back.hour, back.minute, back.second] == clock;
    same.then_some(seconds)
}

/// A point in time as text.
pub(crate) fn format(seconds: i64) -> String {
    let Civil { year, month, day, hour, minute, second, .. } = civil(seconds);
    let month = usize::try_from(month - 1).ok().and_then(|m| MONTHS.get(m)).unwrap_or(&"");
    format!("{month} {day} {hour:02}:{minute:02}:{second:02} {year:04}")
}

/// Reads a text piece by piece.
struct Text<'t> {
    all: &'t str,
    rest: &'t str,
}

impl Text<'_> {
    fn broken<T>(&self, rest: &str, element: &str) -> Result<T, String> {
        Err(format!(
            "parsing time {} as {}: cannot parse {} as {}",
            quoted(self.all),
            quoted(LAYOUT),
            quoted(rest),
            quoted(element)
        ))
    }

    fn out_of_range<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("parsing time {}: {what} out of range", quoted(self.all)))
    }

    /// A number of at most this many digits; if `fixed`, of exactly this many.
    fn number(&mut self, digits: usize, fixed: bool, element: &str) -> Result<i64, String> {
        let count = self.rest.bytes().take(digits).take_while(u8::is_ascii_digit).count();
        if count == 0 || fixed && count < digits {
            return self.broken(self.rest, element);
        }
        let (number, rest) = self.rest.split_at(count);
        self.rest = rest;
        number.parse().or_else(|_| self.broken(number, element))
    }

    fn skip(&mut self, prefix: &str) -> Result<(), String> {
        let rest = if prefix == " " {
            // A run of blanks is as good as one.
            let rest = self.rest.trim_start_matches(' ');
            (rest.len() < self.rest.len() || rest.is_empty()).then_some(rest)
        } else {
            self.rest.strip_prefix(prefix)
        };
        match rest {
            Some(rest) => self.rest = rest,
            None => return self.broken(self.rest, prefix),
        }
        Ok(())
    }

    fn month(&mut self) -> Result<i64, String> {
        let found = (1..).zip(MONTHS).find(|(_, name)| {
            self.rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        });
        let Some((month, name)) = found else { return self.broken(self.rest, "Jan") };
        self.rest = &self.rest[name.len()..];
        Ok(month)
    }

    /// Skips an optional fraction of a second, which the layout does not have.
    fn fraction(&mut self) {
        let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(rest) = self.rest.strip_prefix(['.', ',']).filter(|r| digits(r) > 0) {
            self.rest = &rest[digits(rest)..];
        }
    }
}

/// Parses a time as seconds since 1970.
///
/// # Errors
/// The error in it, as Go words it.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    let mut text = Text { all: text, rest: text };
    let month = text.month()?;
    text.skip(" ")?;
    let day = text.number(2, false, "2")?;
    text.skip(" ")?;
    let hour = text.number(2, false, "15")?;
    if hour > 23 {
        return text.out_of_range("hour");
    }
    text.skip(":")?;
    let minute = text.number(2, true, "04")?;
    if minute > 59 {
        return text.out_of_range("minute");
    }
    text.skip(":")?;
    let second = text.number(2, true, "05")?;
    if second > 59 {
        return text.out_of_range("second");
    }
    text.fraction();
    text.skip(" ")?;
    let year = text.number(4, true, "2006")?;
    if !text.rest.is_empty() {
        let (all, rest) = (quoted(text.all), quoted(text.rest));
        return Err(format!("parsing time {all}: extra text: {rest}"));
    }
    match seconds([year, month, day], [hour, minute, second]) {
        Some(seconds) => Ok(seconds),
        None => text.out_of_range("day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_back() {
        assert_eq!(parse("Jan 1 01:22:31 2019"), Ok(1_546_305_751));
        assert_eq!(
            parse("feb  29 1:02:03.5   2024").map(format),
            Ok("Feb 29 01:02:03 2024".into())
        );
        let wrong = |text| parse(text).err().unwrap_or_default();
        assert_eq!(
            wrong("Feb 30 01:02:03 2024"),
            "parsing time \"Feb 30 01:02:03 2024\": day out of range"
        );
        assert!(wrong("Feb 1 01:2:03 2024").ends_with("cannot parse \"2:03 2024\" as \"04\""));
        assert!(wrong("Feb 1 01:02:03 2024 x").ends_with("extra text: \" x\""));
        assert!(wrong("x").ends_with("cannot parse \"x\" as \"Jan\""));
    }
}
