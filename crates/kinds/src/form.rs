//! The forms of values: the rules by which `check` refuses a value without a machine.

use std::net::IpAddr;

use ordain_functions::time::{MONTHS, WEEKDAYS};

/// The type of a single value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarType {
    /// A text.
    Text,
    /// An integer or a float.
    Number,
    /// True or false.
    Boolean,
}

/// The form of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// One of these words.
    Words(&'static [&'static str]),
    /// Any text, but no number and no boolean.
    Text,
    /// A file mode: octal digits, or clauses such as `u+x`.
    Mode,
    /// An octal umask.
    Umask,
    /// Digits only.
    Digits,
    /// An integer, also as text.
    Integer,
    /// A number, also as text.
    Number,
    /// A number of at least one.
    Positive,
    /// An absolute path, of any operating system.
    Path,
    /// An absolute path or a URL.
    Source,
    /// An IP address.
    Address,
    /// A text without blanks.
    Unspaced,
    /// A minute of a cron entry.
    Minute,
    /// An hour of a cron entry.
    Hour,
    /// A day of the month of a cron entry.
    MonthDay,
    /// A month of a cron entry.
    Month,
    /// A weekday of a cron entry.
    Weekday,
}

impl Form {
    /// A boolean that can also be written as `yes` and `no`.
    pub const YES_NO: Self = Self::Words(&["true", "false", "yes", "no"]);
    /// A boolean.
    pub const TRUE_FALSE: Self = Self::Words(&["true", "false"]);
    /// A switch of yum.conf(5).
    pub const YUM_SWITCH: Self = Self::Words(&["absent", "true", "false", "yes", "no", "1", "0"]);

    /// The allowed values in words, for messages.
    pub fn description(self) -> String {
        let text = match self {
            Self::Words(words) => return alternatives(words),
            Self::Text => "a text",
            Self::Mode => "a text such as '0644' or 'u=rw,go=r'",
            Self::Umask => "a text such as '022'",
            Self::Digits | Self::Integer | Self::Number => "a number",
            Self::Positive => "a number of at least 1",
            Self::Path => "a whole path",
            Self::Source => "a whole path or URL",
            Self::Address => "an IP address",
            Self::Unspaced => "a text without blanks",
            Self::Minute => "a minute from 0 to 59",
            Self::Hour => "an hour from 0 to 23",
            Self::MonthDay => "a day from 1 to 31",
            Self::Month => "a month from 1 to 12, or its name",
            Self::Weekday => "a day from 0 to 7, or its name",
        };
        text.to_owned()
    }

    /// Whether a value has the form. The value is given as text; lists have a form for each element.
    pub fn fits(self, text: &str, ty: ScalarType) -> bool {
        let is_text = ty == ScalarType::Text;
        match self {
            Self::Words(words) => words.contains(&text),
            Self::Text => is_text,
            Self::Mode => is_text && is_mode(text),
            Self::Umask => is_text && is_octal(text, 4),
            Self::Digits => is_digits(text),
            Self::Integer => !is_text || is_digits(text.strip_prefix('-').unwrap_or(text)),
            Self::Number => ty != ScalarType::Boolean && text.parse::<f64>().is_ok(),
            Self::Positive => text.parse::<f64>().is_ok_and(|number| number >= 1.0),
            Self::Path => is_text && is_path(text),
            Self::Source => is_text && is_source(text),
            Self::Address => {
                let bare = text.split('%').next().unwrap_or(text);
                bare.parse::<IpAddr>().is_ok()
            }
            Self::Unspaced => !text.contains(char::is_whitespace),
            Self::Minute => is_time(text, 0, 59, &[]),
            Self::Hour => is_time(text, 0, 23, &[]),
            Self::MonthDay => is_time(text, 1, 31, &[]),
            Self::Month => is_time(text, 1, 12, &MONTHS),
            Self::Weekday => is_time(text, 0, 7, &WEEKDAYS),
        }
    }
}

/// `a`, `b` or `c`
fn alternatives(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// Whether a text may be a field of a cron entry. Steps and ranges are not checked.
fn is_time(text: &str, min: u64, max: u64, names: &[&str]) -> bool {
    if is_digits(text) {
        return text.parse::<u64>().is_ok_and(|number| (min..=max).contains(&number));
    }
    if text.is_empty() || text.contains(',') {
        return false;
    }
    if text == "absent" || !text.bytes().all(|b| b.is_ascii_alphabetic()) {
        return true;
    }
    let is_short = |name: &str| name.get(..3).is_some_and(|short| short.eq_ignore_ascii_case(text));
    names.iter().any(|name| name.eq_ignore_ascii_case(text) || is_short(name))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_octal(text: &str, max: usize) -> bool {
    (1..=max).contains(&text.len()) && text.bytes().all(|b| matches!(b, b'0'..=b'7'))
}

fn is_mode(text: &str) -> bool {
    is_octal(text, 4)
        || text.strip_prefix('0').is_some_and(|rest| is_octal(rest, 4))
        || text.split(',').all(is_clause)
}

/// `ug+rw`, `=r`, `o=u`
fn is_clause(clause: &str) -> bool {
    let rest = clause.trim_start_matches(['u', 'g', 'o', 'a']);
    rest.starts_with(['+', '-', '=']) && rest.bytes().all(|b| b"+-=ugorwxXst".contains(&b))
}

fn is_path(text: &str) -> bool {
    let has_drive = matches!(text.as_bytes(), [drive, b':', b'/' | b'\\', ..]
        if drive.is_ascii_alphabetic());
    has_drive || text.starts_with('/') || text.starts_with("\\\\")
}

fn is_source(text: &str) -> bool {
    let scheme = text.split(':').next().filter(|scheme| scheme.len() < text.len());
    is_path(text)
        || scheme.is_some_and(|s| matches!(s, "puppet" | "file" | "http" | "https"))
        // A prefix that is not a scheme may be anything.
        || scheme.is_some_and(|s| !s.bytes().all(|b| b.is_ascii_alphanumeric()))
}
