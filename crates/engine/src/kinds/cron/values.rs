//! The values of a cron job: times with ranges, steps and names; special times; environment.

use ordain_data::Value;
use ordain_functions::time::{MONTHS, WEEKDAYS};

use crate::kind::params::{Params, inspect, scalar};

/// The desired value of a property; it may be absent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum DesiredValue<T> {
    /// Not there.
    Absent,
    /// This.
    Is(T),
}

impl<T> DesiredValue<T> {
    pub(super) fn as_option(&self) -> Option<&T> {
        match self {
            Self::Absent => None,
            Self::Is(value) => Some(value),
        }
    }
}

const SPECIALS: &[&str] =
    &["reboot", "yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly"];

/// The minimum and maximum of a field, and the names of its values.
fn limits(field: &str) -> (u32, u32, &'static [&'static str]) {
    match field {
        "minute" => (0, 59, &[]),
        "hour" => (0, 23, &[]),
        "monthday" => (1, 31, &[]),
        "month" => (1, 12, &MONTHS),
        _ => (0, 7, &WEEKDAYS),
    }
}

/// One of the five times.
pub(super) fn time(p: &mut Params<'_>, field: &'static str) -> Option<DesiredValue<Vec<String>>> {
    let items = p.list(field)?;
    let mut values = Vec::new();
    for item in &items {
        if item == "absent" || item == "*" {
            // As the first value it replaces all others.
            if values.is_empty() {
                return Some(DesiredValue::Absent);
            }
            p.error(field, format!("{item} is not a valid {field} in a list"));
            continue;
        }
        // One text may contain several items with commas, as in the table.
        for part in item.split(',') {
            match time_value(part.trim(), field) {
                Some(value) => values.push(value),
                None => p.error(field, format!("{item} is not a valid {field}")),
            }
        }
    }
    if values.is_empty() { Some(DesiredValue::Absent) } else { Some(DesiredValue::Is(values)) }
}

/// A number, name, range or step in the form of the table.
fn time_value(text: &str, field: &str) -> Option<String> {
    let (least, greatest, names) = limits(field);
    let number = |t: &str| {
        let digits = !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        let value = t.parse::<u32>().ok().filter(|_| digits)?;
        (least..=greatest).contains(&value).then_some(value)
    };
    let step =
        |t: &str| t.bytes().all(|b| b.is_ascii_digit()) && t.parse::<u32>().is_ok_and(|s| s > 0);
    if number(text).is_some() {
        return Some(text.to_string());
    }
    if let Some(every) = text.strip_prefix("*/") {
        return step(every).then(|| text.to_string());
    }
    if let Some((low, rest)) = text.split_once('-') {
        let (high, every) = rest.split_once('/').unwrap_or((rest, "1"));
        let ordered = number(low)? <= number(high)?;
        return (ordered && step(every)).then(|| text.to_string());
    }
    let by_name =
        |name: &&str| name.eq_ignore_ascii_case(text) || name[..3].eq_ignore_ascii_case(text);
    names.iter().zip(least..).find(|(name, _)| by_name(name)).map(|(_, number)| number.to_string())
}

/// `special`.
pub(super) fn special(p: &mut Params<'_>) -> Option<DesiredValue<String>> {
    let text = p.text("special")?;
    if text == "absent" {
        return Some(DesiredValue::Absent);
    }
    if SPECIALS.contains(&text.as_str()) {
        return Some(DesiredValue::Is(text));
    }
    p.error("special", format!("Invalid special schedule {text:?}"));
    None
}

/// `environment`.
pub(super) fn environment(p: &mut Params<'_>) -> Option<DesiredValue<Vec<String>>> {
    let value = p.raw("environment")?;
    let items = match value {
        Value::List(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    if items.iter().any(|i| i.as_str() == Some("absent")) || items.is_empty() {
        return Some(DesiredValue::Absent);
    }
    let mut settings = Vec::new();
    for item in items {
        match scalar(&item).filter(|t| is_setting(t)) {
            Some(text) => settings.push(text),
            None => {
                let shown = if matches!(item, Value::Secret(_)) {
                    "[redacted]".to_string()
                } else {
                    inspect(&item)
                };
                p.error("environment", format!("Invalid environment setting {shown}"));
            }
        }
    }
    Some(DesiredValue::Is(settings))
}

/// Whether a line is `NAME=value`, with optional spaces around.
pub(super) fn is_setting(line: &str) -> bool {
    let Some((name, value)) = line.split_once('=') else { return false };
    let name = name.trim();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(word) && !value.contains(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_checked() {
        for (text, field, value) in [
            ("5", "minute", Some("5")),
            ("59", "minute", Some("59")),
            ("60", "minute", None),
            ("*/5", "hour", Some("*/5")),
            ("*/0", "hour", None),
            ("2-4", "hour", Some("2-4")),
            ("2-40", "hour", None),
            ("4-2", "hour", None),
            ("1-5/2", "weekday", Some("1-5/2")),
            ("7", "weekday", Some("7")),
            ("Mon", "weekday", Some("1")),
            ("friday", "weekday", Some("5")),
            ("fr", "weekday", None),
            ("December", "month", Some("12")),
            ("0", "month", None),
            ("", "month", None),
            ("+5", "minute", None),
        ] {
            assert_eq!(time_value(text, field).as_deref(), value, "{text} as {field}");
        }
    }

    #[test]
    fn settings() {
        assert!(is_setting("A=b c") && is_setting(" A = x") && is_setting("A="));
        assert!(!is_setting("A") && !is_setting("A-B=c") && !is_setting("A=b\nc=d"));
    }
}
