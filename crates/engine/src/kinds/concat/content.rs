//! Fragments in their order, and the content that they make.

use std::cmp::Ordering;

use ordain_data::json::{self, Layout};
use ordain_data::yaml::{self, Schema, psych};
use ordain_data::{Map, Value};

use crate::kind::KindError;

/// How fragments make a content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Format {
    /// One after the other.
    Plain,
    /// Maps, merged and written as YAML.
    Yaml,
    /// Maps, merged and written as JSON.
    Json { pretty: bool },
    /// The values as a list in JSON.
    JsonArray { pretty: bool },
}

impl Format {
    /// The format of this name.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "yaml" => Self::Yaml,
            "json" => Self::Json { pretty: false },
            "json-pretty" => Self::Json { pretty: true },
            "json-array" => Self::JsonArray { pretty: false },
            "json-array-pretty" => Self::JsonArray { pretty: true },
            _ => Self::Plain,
        }
    }
}

/// The place of a fragment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place {
    /// The parts that are compared one after the other.
    parts: Vec<String>,
    numeric: bool,
}

impl Place {
    /// The place of a fragment with this order and name.
    pub(super) fn new(order: &str, name: &str, numeric: bool) -> Self {
        let whole = format!("{order}___{name}");
        let parts = whole.splitn(2, if numeric { "___" } else { "__" }).map(str::to_string);
        Self { parts: parts.collect(), numeric }
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        if !self.numeric {
            return self.parts.cmp(&other.parts);
        }
        let pairs = self.parts.iter().zip(&other.parts);
        let order = pairs.map(|(a, b)| by_number(a, b)).find(|order| order.is_ne());
        order.unwrap_or_else(|| self.parts.cmp(&other.parts))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Numbers by their value, before texts.
fn by_number(a: &str, b: &str) -> Ordering {
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let digits = text.trim_start_matches('0').to_string();
        is_number.then_some((digits.len(), digits))
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// Makes the content of fragments.
pub(super) struct Assembly {
    pub(super) format: Format,
    /// Whether of two different values of a key the first counts; else they are an error.
    pub(super) force: bool,
    /// Whether messages must not show values.
    pub(super) secret: bool,
}

impl Assembly {
    /// The content of fragments in their order.
    ///
    /// # Errors
    /// When one is not in the format, or contradicts another.
    pub(super) fn content(&self, fragments: &[Vec<u8>]) -> Result<Vec<u8>, KindError> {
        let layout = |pretty| if pretty { Layout::RUBY_PRETTY } else { Layout::COMPACT };
        let text = match self.format {
            Format::Plain => return Ok(fragments.concat()),
            Format::Yaml => {
                let read = |text: &str| yaml::read(text, Schema::Psych).map_err(|e| e.to_string());
                psych::write(&self.merged(self.values(fragments, read)?)?)
            }
            Format::Json { pretty } => {
                let read = |text: &str| json::read(text).map_err(|e| e.to_string());
                json::write(&self.merged(self.values(fragments, read)?)?, &layout(pretty))
            }
            Format::JsonArray { pretty } => {
                let read = |text: &str| json::read(text).map_err(|e| e.to_string());
                json::write(&Value::list(self.values(fragments, read)?), &layout(pretty))
            }
        };
        Ok(text.into_bytes())
    }

    fn values(
        &self,
        fragments: &[Vec<u8>],
        read: impl Fn(&str) -> Result<Value, String>,
    ) -> Result<Vec<Value>, KindError> {
        let value = |bytes: &Vec<u8>| {
            let text = std::str::from_utf8(bytes).map_err(|e| e.to_string());
            text.and_then(&read).map_err(|e| {
                let why = if self.secret { String::new() } else { format!(": {e}") };
                KindError::new(format!("a fragment is not in the format of the file{why}"))
            })
        };
        fragments.iter().map(value).collect()
    }

    fn merged(&self, values: Vec<Value>) -> Result<Value, KindError> {
        let mut out = Value::map::<&str>([]);
        for value in values {
            out = self.merge(out, value)?;
        }
        Ok(out)
    }

    /// The first value, and the second where the first has none.
    fn merge(&self, first: Value, second: Value) -> Result<Value, KindError> {
        match (first, second) {
            (first, second) if is_empty(&second)? => Ok(first),
            (first, second) if is_empty(&first)? => Ok(second),
            (Value::List(first), Value::List(second)) => {
                let mut out: Vec<Value> = Vec::new();
                let mut seen = rustc_hash::FxHashSet::default();
                for item in first.iter().chain(second.iter()) {
                    if seen.insert(item.clone()) {
                        out.push(item.clone());
                    }
                }
                Ok(Value::list(out))
            }
            (Value::Map(first), Value::Map(second)) => self.merge_maps(&first, &second),
            _ => Err(KindError::new("fragments must all be maps, or all be lists")),
        }
    }

    fn merge_maps(&self, first: &Map, second: &Map) -> Result<Value, KindError> {
        let mut out = first.clone();
        for (key, theirs) in second {
            let merged = match first.get(key) {
                None => theirs.clone(),
                Some(own) => match (own, theirs) {
                    (Value::Map(_), Value::Map(_)) | (Value::List(_), Value::List(_)) => {
                        self.merge(own.clone(), theirs.clone())?
                    }
                    _ if own == theirs || self.force => own.clone(),
                    _ => return Err(self.contradiction(key, own, theirs)),
                },
            };
            out.insert(key.clone(), merged);
        }
        Ok(Value::Map(out.into()))
    }

    fn contradiction(&self, key: &Value, own: &Value, theirs: &Value) -> KindError {
        let shown = |value: &Value| match value {
            _ if self.secret => "[redacted]".to_string(),
            Value::Str(text) => text.to_string(),
            other => json::compact(other),
        };
        KindError::new(format!(
            "Duplicate key '{}' found with values '{}' and {}'. Use 'force' attribute to merge keys.",
            shown(key),
            shown(own),
            shown(theirs)
        ))
    }
}

fn is_empty(value: &Value) -> Result<bool, KindError> {
    match value {
        Value::Null => Ok(true),
        Value::Map(entries) => Ok(entries.is_empty()),
        Value::List(items) => Ok(items.is_empty()),
        Value::Str(text) => Ok(text.is_empty()),
        _ => Err(KindError::new("a fragment is neither a map nor a list")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_before_texts_and_by_their_value() {
        let mut all: Vec<Place> = [("10", "b"), ("9", "z"), ("9", "10"), ("x", "a"), ("9", "9")]
            .map(|(order, name)| Place::new(order, name, true))
            .to_vec();
        all.sort();
        let shown: Vec<String> = all.iter().map(|place| place.parts.join(" ")).collect();
        assert_eq!(shown, ["9 9", "9 10", "9 z", "10 b", "x a"]);
        let mut all: Vec<Place> =
            [("9", "a"), ("10", "b"), ("1", "c")].map(|(o, n)| Place::new(o, n, false)).to_vec();
        all.sort();
        let shown: Vec<&str> = all.iter().map(|place| place.parts[0].as_str()).collect();
        assert_eq!(shown, ["1", "10", "9"]);
    }
}
