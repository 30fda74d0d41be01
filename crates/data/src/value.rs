//! The plain data tree.

use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use ecow::EcoString;
use indexmap::{Equivalent, IndexMap};
use rustc_hash::FxBuildHasher;

/// A map in insertion order.
pub type Map = IndexMap<Value, Value, FxBuildHasher>;

/// A plain data tree. Cheap to clone: text and containers are shared.
///
/// Equality and hash are structural: integers and floats differ, floats compare by their bits,
/// maps compare without regard to order.
#[derive(Clone, Default)]
pub enum Value {
    /// Nothing: YAML's `~`, JSON's `null`.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// An integer beyond 64 bits, as its decimal digits with an optional minus.
    BigInt(Arc<str>),
    /// A floating point number.
    Float(f64),
    /// Text.
    Str(EcoString),
    /// Bytes that need not be text.
    Bytes(Arc<[u8]>),
    /// A list.
    List(Arc<Vec<Value>>),
    /// An ordered map.
    Map(Arc<Map>),
    /// A value that is never shown: no diff, log, error or journal prints it.
    Secret(Arc<Value>),
}

impl Value {
    /// Text.
    pub fn str(text: impl Into<EcoString>) -> Self {
        Self::Str(text.into())
    }

    /// A list of these values.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Self {
        Self::List(Arc::new(items.into_iter().collect()))
    }

    /// A map with text keys.
    pub fn map<K: Into<EcoString>>(entries: impl IntoIterator<Item = (K, Value)>) -> Self {
        Self::Map(Arc::new(entries.into_iter().map(|(k, v)| (Self::Str(k.into()), v)).collect()))
    }

    /// The text, if this is text.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(s) = self { Some(s) } else { None }
    }

    /// The integer, if this is one of 64 bits.
    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(i) = self { Some(*i) } else { None }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(b) = self { Some(*b) } else { None }
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Self::List(l) = self { Some(l) } else { None }
    }

    /// The entries, if this is a map.
    pub fn as_map(&self) -> Option<&Map> {
        if let Self::Map(m) = self { Some(m) } else { None }
    }

    /// The entry of a map under a text key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_map()?.get(&Key(key))
    }

    /// The value under a path of keys and list indices, such as `["os", "release", "major"]`.
    pub fn dig<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> Option<&Value> {
        path.into_iter().try_fold(self, |value, key| match value {
            Self::List(items) => items.get(key.parse::<usize>().ok()?),
            _ => value.get(key),
        })
    }

    /// The same with the text `[secret]` in place of secrets, for display.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        match self {
            Self::Secret(_) => Self::str("[secret]"),
            Self::List(items) => Self::list(items.iter().map(Self::without_secrets)),
            Self::Map(map) => {
                let entries = map.iter().map(|(k, v)| (k.without_secrets(), v.without_secrets()));
                Self::Map(Arc::new(entries.collect()))
            }
            other => other.clone(),
        }
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The kind of the value, for messages: `text`, `a list`, …
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::BigInt(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Str(_) => "text",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Secret(_) => "a secret",
        }
    }
}

/// Looks up a text key in a [`Map`] without creating a [`Value`].
#[derive(Clone, Copy, Debug)]
pub struct Key<'a>(pub &'a str);

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(5);
        self.0.hash(state);
    }
}

impl Equivalent<Value> for Key<'_> {
    fn equivalent(&self, key: &Value) -> bool {
        key.as_str() == Some(self.0)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::BigInt(a), Self::BigInt(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Secret(a), Self::Secret(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Null => state.write_u8(0),
            Self::Bool(b) => state.write_u8(1 + u8::from(*b)),
            Self::Int(i) => {
                state.write_u8(3);
                state.write_i64(*i);
            }
            Self::BigInt(digits) => digits.hash(state),
            Self::Float(f) => {
                state.write_u8(4);
                state.write_u64(f.to_bits());
            }
            Self::Str(s) => Key(s).hash(state),
            Self::Bytes(b) => b.hash(state),
            Self::List(items) => items.hash(state),
            // Order does not matter for equality, so the hashes of the entries are summed up.
            Self::Map(map) => {
                let entry = |e: (&Value, &Value)| FxBuildHasher.hash_one(e);
                state.write_u64(map.iter().map(entry).fold(map.len() as u64, u64::wrapping_add));
            }
            Self::Secret(inner) => inner.hash(state),
        }
    }
}

/// Shows the tree in a JSON-like form; a secret is shown as `[secret]`.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(i) => write!(f, "{i}"),
            Self::BigInt(digits) => f.write_str(digits),
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Str(s) => write!(f, "{:?}", s.as_str()),
            Self::Bytes(b) => write!(f, "<{} bytes>", b.len()),
            Self::List(items) => f.debug_list().entries(items.iter()).finish(),
            Self::Map(map) => f.debug_map().entries(map.iter()).finish(),
            Self::Secret(_) => f.write_str("[secret]"),
        }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Self::Int(i)
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Self::Str(s.into())
    }
}

impl From<String> for Value {
    fn from(s: String) -> Self {
        Self::Str(s.into())
    }
}

impl From<EcoString> for Value {
    fn from(s: EcoString) -> Self {
        Self::Str(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_key_finds_its_entry() {
        let v = Value::map([("os", Value::map([("list", Value::list([Value::Int(7)]))]))]);
        assert_eq!(v.dig(["os", "list", "0"]), Some(&Value::Int(7)));
        assert_eq!(v.dig(["os", "nope"]), None);
    }

    #[test]
    fn secrets_do_not_show() {
        let v = Value::list([Value::Secret(Arc::new(Value::str("hunter2")))]);
        assert!(!format!("{v:?}").contains("hunter2"));
        assert_eq!(v.without_secrets(), Value::list([Value::str("[secret]")]));
    }
}
