//! Ruby's `Time#strftime`.

use super::civil::{Civil, NANOS_PER_SECOND};
use crate::{Error, Result};

/// The months in English.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// The days of the week in English, from Sunday.
pub const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// The largest width a directive may have.
const MAX_WIDTH: usize = 1024;
/// The maximum size of a result in bytes.
const MAX_OUTPUT: usize = 1 << 20;

/// Formats a point in time, in UTC or at an offset in seconds from it. Text outside directives is
/// copied.
///
/// ```
/// use ordain_functions::time::{DEFAULT_FORMAT, format};
/// assert_eq!(format(DEFAULT_FORMAT, 1_500_000_000, None)?, "1970-01-01T00:00:01.500000000 UTC");
/// assert_eq!(format("%-d %^b %H:%M %:z", 0, Some(3600))?, "1 JAN 01:00 +01:00");
/// # Ok::<(), ordain_functions::Error>(())
/// ```
///
/// # Errors
/// [`Error::Time`] if the result would be too big, or the format ends within a directive.
pub fn format(format: &str, nanos: i128, offset: Option<i32>) -> Result<String> {
    let seconds = nanos.div_euclid(NANOS_PER_SECOND);
    if i64::try_from(seconds).is_err() || seconds.abs() > i128::from(i64::MAX / 4) {
        return Err(Error::Time("the time is out of range".into()));
    }
    let local = nanos + i128::from(offset.unwrap_or(0)) * NANOS_PER_SECOND;
    let printer = Printer { time: Civil::from_nanos(local), epoch: seconds as i64, offset };
    let mut out = String::with_capacity(format.len() * 2);
    printer.print(format, &mut out)?;
    Ok(out)
}

#[derive(Default, Clone, Copy)]
struct Directive {
    no_padding: bool,
    pad: Option<char>,
    upper: bool,
    change: bool,
    colons: usize,
    width: Option<usize>,
}

struct Printer {
    time: Civil,
    epoch: i64,
    offset: Option<i32>,
}

impl Printer {
    fn print(&self, format: &str, out: &mut String) -> Result<()> {
        let mut rest = format;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let used = match read(rest) {
                Some((directive, letter, used)) if self.directive(directive, letter, out) => used,
                Some((.., used)) => {
                    out.push_str(&rest[..used]);
                    used
                }
                None if is_cut_off(&rest[1..]) => {
                    return Err(Error::Time(format!("invalid format: {format}")));
                }
                None => {
                    let used = rest.len().min(1);
                    out.push_str(&rest[..used]);
                    used
                }
            };
            rest = &rest[used..];
            if out.len() > MAX_OUTPUT {
                return Err(Error::Time("the result is too big".into()));
            }
        }
        out.push_str(rest);
        Ok(())
    }

    /// Prints one directive; `false` if it is unknown.
    fn directive(&self, directive: Directive, letter: char, out: &mut String) -> bool {
        let time = &self.time;
        let hour12 = (time.hour + 11) % 12 + 1;
        let mut number = |value: i64, width: usize, pad: char| {
            push_number(out, directive, value, width, pad);
            true
        };
        match letter {
            'Y' => number(time.year, if time.year < 0 { 5 } else { 4 }, '0'),
            'C' => number(time.year.div_euclid(100), 2, '0'),
            'y' => number(time.year.rem_euclid(100), 2, '0'),
            'm' => number(time.month, 2, '0'),
            'd' => number(time.day, 2, '0'),
            'e' => number(time.day, 2, ' '),
            'j' => number(time.day_of_year(), 3, '0'),
            'H' => number(time.hour, 2, '0'),
            'k' => number(time.hour, 2, ' '),
            'I' => number(hour12, 2, '0'),
            'l' => number(hour12, 2, ' '),
            'M' => number(time.minute, 2, '0'),
            'S' => number(time.second, 2, '0'),
            'u' => number((time.weekday() + 6) % 7 + 1, 1, '0'),
            'w' => number(time.weekday(), 1, '0'),
            'G' => number(time.iso_week().0, if time.iso_week().0 < 0 { 5 } else { 4 }, '0'),
            'g' => number(time.iso_week().0.rem_euclid(100), 2, '0'),
            'V' => number(time.iso_week().1, 2, '0'),
            'U' => number(time.week_beginning(0), 2, '0'),
            'W' => number(time.week_beginning(1), 2, '0'),
            's' => number(self.epoch, 1, '0'),
            'L' => push_fraction(out, time.nanosecond, directive.width.unwrap_or(3)),
            'N' => push_fraction(out, time.nanosecond, directive.width.unwrap_or(9)),
            'z' => self.push_offset(directive, out),
            _ => self.text(directive, letter, out),
        }
    }

    fn text(&self, directive: Directive, letter: char, out: &mut String) -> bool {
        let time = &self.time;
        let weekday = WEEKDAYS[time.weekday() as usize];
        let month = MONTHS[(time.month - 1).clamp(0, 11) as usize];
        let half = if time.hour < 12 { "AM" } else { "PM" };
        let text = match letter {
            'A' => weekday,
            'a' => &weekday[..3],
            'B' => month,
            'b' | 'h' => &month[..3],
            'p' if directive.change => &half.to_ascii_lowercase(),
            'p' => half,
            'P' => &half.to_ascii_lowercase(),
            'Z' if self.offset.is_none() && directive.change => "utc",
            'Z' if self.offset.is_none() => "UTC",
            'Z' => return true,
            'n' => "\n",
            't' => "\t",
            '%' => "%",
            _ => return self.composite(directive, letter, out),
        };
        let change = directive.change && !matches!(letter, 'p' | 'Z');
        push_text(out, Directive { change, ..directive }, text);
        true
    }

    fn composite(&self, directive: Directive, letter: char, out: &mut String) -> bool {
        let format = match letter {
            'c' => "%a %b %e %H:%M:%S %Y",
            'D' | 'x' => "%m/%d/%y",
            'F' => "%Y-%m-%d",
            'v' => "%e-%^b-%4Y",
            'X' | 'T' => "%H:%M:%S",
            'r' => "%I:%M:%S %p",
            'R' => "%H:%M",
            _ => return false,
        };
        let mut text = String::new();
        let printed = self.print(format, &mut text).is_ok();
        push_text(out, Directive { no_padding: false, change: false, ..directive }, &text);
        printed
    }

    /// The offset, `%z` with up to three colons.
    fn push_offset(&self, directive: Directive, out: &mut String) -> bool {
        let offset = self.offset.unwrap_or(0);
        let (hours, minutes, seconds) =
            (offset.abs() / 3600, offset.abs() / 60 % 60, offset.abs() % 60);
        let tail = match directive.colons {
            0 => format!("{minutes:02}"),
            1 => format!(":{minutes:02}"),
            2 => format!(":{minutes:02}:{seconds:02}"),
            3 if minutes == 0 && seconds == 0 => String::new(),
            3 if seconds == 0 => format!(":{minutes:02}"),
            3 => format!(":{minutes:02}:{seconds:02}"),
            _ => return false,
        };
        // RFC 3339 has a minus for an unknown zone; Ruby's `-` flag selects it.
        let is_unknown = self.offset.is_none() && directive.no_padding;
        let sign = if offset < 0 || is_unknown { '-' } else { '+' };
        let room = directive.width.unwrap_or(0).saturating_sub(tail.len() + 1).max(2);
        match directive.pad {
            Some(' ') => {
                let signed = format!("{sign}{hours}");
                out.push_str(&format!("{signed:>width$}{tail}", width = room + 1));
            }
            _ => out.push_str(&format!("{sign}{hours:0room$}{tail}")),
        }
        true
    }
}

/// Whether a directive has only flags and a width.
fn is_cut_off(text: &str) -> bool {
    let rest = text.trim_start_matches(['-', '_', '0', '^', '#']);
    rest.bytes().all(|b| b.is_ascii_digit())
}

/// Parses a directive at the start of `text`: flags, width, colons, modifier, letter.
fn read(text: &str) -> Option<(Directive, char, usize)> {
    let mut directive = Directive::default();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((_, c)) = chars.next_if(|(_, c)| matches!(c, '-' | '_' | '0' | '^' | '#')) {
        match c {
            '-' => directive.no_padding = true,
            '_' => directive.pad = Some(' '),
            '0' => directive.pad = Some('0'),
            '^' => directive.upper = true,
            _ => directive.change = true,
        }
    }
    while let Some(digit) = chars.peek().and_then(|(_, c)| c.to_digit(10)) {
        let width = directive.width.unwrap_or(0) * 10 + digit as usize;
        directive.width = Some(width.min(MAX_WIDTH));
        chars.next();
    }
    while chars.next_if(|&(_, c)| c == ':').is_some() {
        directive.colons += 1;
    }
    let modifier = chars.next_if(|(_, c)| matches!(c, 'E' | 'O'));
    let (at, letter) = chars.next()?;
    let allowed = match modifier {
        Some((_, 'E')) => "CcXxYy".contains(letter),
        Some(_) => "deHkIlmMSuUVwWy".contains(letter),
        None => true,
    };
    if !allowed || directive.colons > 0 && letter != 'z' {
        return None;
    }
    Some((directive, letter, at + letter.len_utf8()))
}

fn push_number(out: &mut String, directive: Directive, value: i64, width: usize, pad: char) {
    if directive.no_padding {
        out.push_str(&value.to_string());
        return;
    }
    let width = directive.width.unwrap_or(width);
    match directive.pad.unwrap_or(pad) {
        '0' => out.push_str(&format!("{value:0width$}")),
        _ => out.push_str(&format!("{value:width$}")),
    }
}

fn push_fraction(out: &mut String, nanosecond: i64, width: usize) -> bool {
    let digits = format!("{nanosecond:09}");
    let shown = if width == 0 { 9 } else { width };
    out.push_str(&digits[..shown.min(9)]);
    out.extend(std::iter::repeat_n('0', shown.saturating_sub(9)));
    true
}

fn push_text(out: &mut String, directive: Directive, text: &str) {
    let width = if directive.no_padding { 0 } else { directive.width.unwrap_or(0) };
    let pad = directive.pad.unwrap_or(' ');
    out.extend(std::iter::repeat_n(pad, width.saturating_sub(text.len())));
    if directive.upper || directive.change {
        out.push_str(&text.to_uppercase());
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn directives() {
        let nanos = Civil::to_nanos(2020, 2, 3, [4, 5, 6], 7_008_009);
        for (directive, text) in [
            ("%Y %C %y", "2020 20 20"),
            ("%e|%k|%l|%P|%p", " 3| 4| 4|am|AM"),
            ("%j %U %W %V %G %u %w", "034 05 05 06 2020 1 1"),
            ("%3N %L %12N", "007 007 007008009000"),
            ("%z %:z %::z %Z", "+0000 +00:00 +00:00:00 UTC"),
            ("%^a %#p %#B", "MON am FEBRUARY"),
            ("%-d %_m %10Y %_10Y", "3  2 0000002020       2020"),
            ("%c", "Mon Feb  3 04:05:06 2020"),
            ("%v %r", " 3-FEB-2020 04:05:06 AM"),
            ("%q %E %:", "%q %E %:"),
            ("%10A|%010A", "    Monday|0000Monday"),
        ] {
            assert_eq!(format(directive, nanos, None).unwrap(), text, "{directive}");
        }
        assert_eq!(
            format("%z|%10z|%_10z|%Z|%s", 0, Some(19_800)).unwrap(),
            "+0530|+000000530|      +530||0"
        );
    }
}
