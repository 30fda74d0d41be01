//! Compares values with conditions.

use std::sync::Arc;

use ordain_data::{Value, json};
use similar::TextDiff;

use crate::expect::Matcher;

/// The longest value in a message, in characters.
const MAX_SHOWN: usize = 200;

impl Matcher {
    /// Why a value does not match; `None` if it does. Values that contain secrets are compared, and
    /// never shown.
    pub(crate) fn mismatch(&self, value: Option<&Value>) -> Option<String> {
        let is_secret = value.is_some_and(Value::holds_secret);
        let shown = || match value {
            None => "it is not set".to_owned(),
            Some(_) if is_secret => "it is another secret".to_owned(),
            Some(value) => format!("it is {}", shown(value)),
        };
        let plain = value.map(revealed);
        let plain = plain.as_ref();
        let differs = match self {
            Self::Absent => plain.is_some_and(|value| !value.is_null()),
            Self::Present => plain.is_none_or(Value::is_null),
            Self::Equal(want) => plain.is_none_or(|value| !is_equal(value, want)),
            Self::OneOf(all) => {
                plain.is_none_or(|value| !all.iter().any(|one| is_equal(value, one)))
            }
            Self::Matches(regex) => plain.is_none_or(|value| !regex.is_match(&text(value))),
            Self::Contains(part) => plain.is_none_or(|value| !contains(value, part)),
            Self::Lines(lines) => {
                let text = plain.map(text).unwrap_or_default();
                return lines
                    .iter()
                    .find(|line| !text.lines().any(|l| l == line.as_str()))
                    .map(|line| format!("it has no line `{line}`"));
            }
            Self::Not(inner) => {
                return match inner.mismatch(value) {
                    Some(_) => None,
                    None => {
                        Some(format!("expected anything but {}; {}", inner.described(), shown()))
                    }
                };
            }
        };
        if !differs {
            return None;
        }
        if let (Self::Equal(Value::Str(want)), Some(Value::Str(found)), false) =
            (self, plain, is_secret)
            && (want.contains('\n') || found.contains('\n'))
        {
            return Some(format!("the text differs\n{}", text_diff(want, found)));
        }
        Some(format!("expected {}; {}", self.described(), shown()))
    }

    fn described(&self) -> String {
        match self {
            Self::Equal(value) => shown(value),
            Self::Absent => "no value".to_owned(),
            Self::Present => "a value".to_owned(),
            Self::Matches(regex) => format!("a text that matches /{regex}/"),
            Self::Contains(part) => format!("{} in it", shown(part)),
            Self::Lines(lines) => format!("the lines {}", lines.join(", ")),
            Self::OneOf(all) => {
                let all: Vec<String> = all.iter().map(shown).collect();
                format!("one of {}", all.join(", "))
            }
            Self::Not(inner) => format!("anything but {}", inner.described()),
        }
    }
}

/// The value with its secrets in clear text, for comparisons only.
fn revealed(value: &Value) -> Value {
    match value {
        Value::Secret(inner) => revealed(inner),
        Value::List(items) => Value::list(items.iter().map(revealed)),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| (revealed(key), revealed(value)));
            Value::Map(Arc::new(entries.collect()))
        }
        other => other.clone(),
    }
}

/// Whether values are equal; numbers and truths also equal their texts, as in catalogs.
fn is_equal(value: &Value, want: &Value) -> bool {
    if value == want {
        return true;
    }
    match (value, want) {
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_equal(a, b))
        }
        (Value::List(items), one) if items.len() == 1 => is_equal(&items[0], one),
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_equal(a, b)))
        }
        (Value::Str(text), Value::Int(_) | Value::Float(_) | Value::Bool(_)) => {
            *text == json::compact(want).as_str()
        }
        (Value::Int(_) | Value::Float(_) | Value::Bool(_), Value::Str(text)) => {
            *text == json::compact(value).as_str()
        }
        _ => false,
    }
}

/// Whether a text contains another, or a list an item, or a map all entries of another.
fn contains(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::List(items), part) => items.iter().any(|item| is_equal(item, part)),
        (Value::Map(map), Value::Map(part)) => {
            part.iter().all(|(key, part)| map.get(key).is_some_and(|value| is_equal(value, part)))
        }
        (value, part) => text(value).contains(&text(part)),
    }
}

/// A text as it is; any other value as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| json::compact(value), str::to_owned)
}

/// The value for messages.
fn shown(value: &Value) -> String {
    let text = json::compact(value);
    if text.chars().count() <= MAX_SHOWN {
        return text;
    }
    let start: String = text.chars().take(MAX_SHOWN).collect();
    format!("{start}...")
}

/// The difference of two texts by lines.
pub(crate) fn text_diff(want: &str, found: &str) -> String {
    let diff = TextDiff::from_lines(want, found);
    let text = diff.unified_diff().context_radius(2).header("expected", "found").to_string();
    text.trim_end().to_owned()
}
