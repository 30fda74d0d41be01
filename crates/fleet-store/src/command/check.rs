//! Checks the keys of a command, with messages like those of PuppetDB.

use serde_json::{Map, Value as Json};

use crate::error::FleetStoreError;
use crate::time::parse_time;

/// A JSON object and the problems found in it.
pub(super) struct Object<'a> {
    map: &'a mut Map<String, Json>,
    problems: Vec<String>,
}

/// The expected type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    String,
    Integer,
    Number,
    Boolean,
    Time,
    Strings,
    Objects,
    Map,
}

impl Kind {
    fn accepts(self, value: &Json) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Time => value.as_str().is_some_and(|text| parse_time(text).is_some()),
            Self::Strings => all(value, Json::is_string),
            Self::Objects => all(value, Json::is_object),
            Self::Map => value.is_object(),
        }
    }

    /// The type as PuppetDB's messages name it.
    fn name(self) -> &'static str {
        match self {
            Self::String => "string?",
            Self::Integer => "integer?",
            Self::Number => "instance? java.lang.Number",
            Self::Boolean => "instance? java.lang.Boolean",
            Self::Time => "wire-datetime?",
            Self::Strings | Self::Objects => "sequential?",
            Self::Map => "map?",
        }
    }
}

fn all(value: &Json, check: fn(&Json) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(check))
}

/// A message shows at most this many characters of a wrong value.
const SHOWN: usize = 60;

impl<'a> Object<'a> {
    pub(super) fn new(map: &'a mut Map<String, Json>) -> Self {
        Self { map, problems: Vec::new() }
    }

    /// Removes a value from the object. Returns `None` and records a problem if the value is wrong.
    fn take(&mut self, key: &str, kind: Kind, nullable: bool, required: bool) -> Option<Json> {
        let Some(value) = self.map.remove(key) else {
            if required {
                self.problems.push(format!(":{key} missing-required-key"));
            }
            return None;
        };
        if nullable && value.is_null() {
            return None;
        }
        if kind.accepts(&value) {
            return Some(value);
        }
        let text = value.to_string();
        let shown: String = text.chars().take(SHOWN).collect();
        self.problems.push(format!(":{key} (not ({} {shown}))", kind.name()));
        None
    }

    pub(super) fn string(&mut self, key: &str) -> String {
        into_string(self.take(key, Kind::String, false, true)).unwrap_or_default()
    }

    /// A string or null; the key is required.
    pub(super) fn maybe_string(&mut self, key: &str) -> Option<String> {
        into_string(self.take(key, Kind::String, true, true))
    }

    /// A string or null; the key may be missing.
    pub(super) fn optional_string(&mut self, key: &str) -> Option<String> {
        into_string(self.take(key, Kind::String, true, false))
    }

    pub(super) fn integer(&mut self, key: &str) -> i64 {
        let value = self.take(key, Kind::Integer, false, true);
        value.and_then(|v| v.as_i64()).unwrap_or_default()
    }

    pub(super) fn maybe_integer(&mut self, key: &str) -> Option<i64> {
        self.take(key, Kind::Integer, true, true).and_then(|v| v.as_i64())
    }

    pub(super) fn number(&mut self, key: &str) -> Json {
        self.take(key, Kind::Number, false, true).unwrap_or_default()
    }

    pub(super) fn boolean(&mut self, key: &str) -> bool {
        let value = self.take(key, Kind::Boolean, false, true);
        value.and_then(|v| v.as_bool()).unwrap_or_default()
    }

    pub(super) fn maybe_boolean(&mut self, key: &str) -> Option<bool> {
        self.take(key, Kind::Boolean, true, true).and_then(|v| v.as_bool())
    }

    /// A time with an offset, in microseconds.
    pub(super) fn time(&mut self, key: &str) -> i64 {
        let value = self.take(key, Kind::Time, false, true);
        value.and_then(|v| parse_time(v.as_str()?)).unwrap_or_default()
    }

    /// Like [`Object::time`]; the key may be missing or null.
    pub(super) fn optional_time(&mut self, key: &str) -> Option<i64> {
        let value = self.take(key, Kind::Time, true, false);
        value.and_then(|v| parse_time(v.as_str()?))
    }

    pub(super) fn strings(&mut self, key: &str) -> Vec<String> {
        let value = self.take(key, Kind::Strings, false, true);
        items(value).filter_map(|item| into_string(Some(item))).collect()
    }

    pub(super) fn objects(&mut self, key: &str) -> Vec<Map<String, Json>> {
        items(self.take(key, Kind::Objects, false, true))
            .filter_map(|item| if let Json::Object(map) = item { Some(map) } else { None })
            .collect()
    }

    pub(super) fn map(&mut self, key: &str) -> Map<String, Json> {
        match self.take(key, Kind::Map, false, true) {
            Some(Json::Object(map)) => map,
            _ => Map::new(),
        }
    }

    /// Any value; the key is required.
    pub(super) fn any(&mut self, key: &str) -> Json {
        self.map.remove(key).unwrap_or_else(|| {
            self.problems.push(format!(":{key} missing-required-key"));
            Json::Null
        })
    }

    /// Any value; the key may be missing.
    pub(super) fn optional(&mut self, key: &str) -> Option<Json> {
        self.map.remove(key)
    }

    /// Records the problems of a nested value.
    pub(super) fn part(&mut self, key: &str, problems: Option<String>) {
        self.problems.extend(problems.map(|text| format!(":{key} {text}")));
    }

    /// The problems, if any. Keys that were never read are problems, too.
    pub(super) fn problems(mut self) -> Option<String> {
        for key in self.map.keys() {
            self.problems.push(format!(":{key} disallowed-key"));
        }
        self.known_problems()
    }

    /// Like [`Object::problems`], but unknown keys are ignored.
    pub(super) fn known_problems(mut self) -> Option<String> {
        if self.problems.is_empty() {
            return None;
        }
        self.problems.truncate(20);
        Some(format!("{{{}}}", self.problems.join(", ")))
    }
}

/// Refuses a command that has problems.
pub(super) fn refuse(command: &str, problems: Option<String>) -> Result<(), FleetStoreError> {
    match problems {
        None => Ok(()),
        Some(text) => Err(FleetStoreError::refused(format!("Invalid {command} command: {text}"))),
    }
}

fn into_string(value: Option<Json>) -> Option<String> {
    if let Some(Json::String(text)) = value { Some(text) } else { None }
}

fn items(value: Option<Json>) -> impl Iterator<Item = Json> {
    let items = if let Some(Json::Array(items)) = value { items } else { Vec::new() };
    items.into_iter()
}

/// Checks that a text is a UUID in its usual form. PuppetDB leaves that to PostgreSQL, which also
/// accepts braces and other hyphens.
pub(super) fn uuid(text: Option<String>) -> Result<Option<String>, FleetStoreError> {
    let Some(text) = text else { return Ok(None) };
    let refused =
        || FleetStoreError::refused(format!("invalid input syntax for type uuid: \"{text}\""));
    let bare = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(&text);
    let digits: String = bare.chars().filter(|c| *c != '-').collect();
    if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(refused());
    }
    let digits = digits.to_ascii_lowercase();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(Some(parts.join("-")))
}

/// Replaces characters that PostgreSQL cannot store, as PuppetDB does.
pub(super) fn without_nul(value: &mut Json) {
    match value {
        Json::String(text) if text.contains('\0') => *text = text.replace('\0', "\u{fffd}"),
        Json::Array(items) => items.iter_mut().for_each(without_nul),
        Json::Object(map) => {
            if map.keys().any(|key| key.contains('\0')) {
                let old = std::mem::take(map);
                *map = old.into_iter().map(|(k, v)| (k.replace('\0', "\u{fffd}"), v)).collect();
            }
            map.values_mut().for_each(without_nul);
        }
        _ => {}
    }
}

/// The same as [`without_nul`], for a string.
pub(super) fn text_without_nul(text: &mut String) {
    if text.contains('\0') {
        *text = text.replace('\0', "\u{fffd}");
    }
}

/// Adds null for keys that older versions of a command lack.
pub(super) fn add_missing(map: &mut Map<String, Json>, keys: &[&str]) {
    for key in keys {
        if !map.contains_key(*key) {
            map.insert((*key).to_owned(), Json::Null);
        }
    }
}
